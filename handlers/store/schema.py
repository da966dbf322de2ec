"""The schema of a store's database."""

from typing import Final

# Each entry leads from one version of the schema to the next; the database counts them in `user_version`.
VERSIONS: Final = (
    (
        """CREATE TABLE record (
            id TEXT PRIMARY KEY, owner TEXT NOT NULL, parent TEXT,
            used REAL NOT NULL, size INTEGER NOT NULL, content BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX record_by_use ON record (used)",
        """CREATE TABLE part (
            owner TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL REFERENCES record ON DELETE CASCADE,
            PRIMARY KEY (owner, id)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX part_by_record ON part (record)",
        "CREATE TABLE total (bytes INTEGER NOT NULL, records INTEGER NOT NULL) STRICT",
        "INSERT INTO total VALUES (0, 0)",
        """CREATE TRIGGER added AFTER INSERT ON record BEGIN
            UPDATE total SET bytes = bytes + new.size, records = records + 1;
        END""",
        """CREATE TRIGGER removed AFTER DELETE ON record BEGIN
            UPDATE total SET bytes = bytes - old.size, records = records - 1;
        END""",
    ),
    (  # conversations, and answers in the background
        """CREATE TRIGGER resized AFTER UPDATE OF size ON record BEGIN
            UPDATE total SET bytes = bytes + new.size - old.size;
        END""",
        """CREATE TABLE entry (
            record TEXT NOT NULL REFERENCES record ON DELETE CASCADE, number INTEGER NOT NULL,
            id TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (record, number)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX entry_by_id ON entry (id) WHERE id != ''",
        """CREATE TABLE work (
            record TEXT PRIMARY KEY REFERENCES record ON DELETE CASCADE, seen REAL NOT NULL
        ) STRICT, WITHOUT ROWID""",
    ),
    (  # files and batches
        """CREATE TABLE file (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            purpose TEXT NOT NULL, name TEXT NOT NULL, created REAL NOT NULL, expires REAL,
            is_whole INTEGER NOT NULL, size INTEGER NOT NULL
        ) STRICT""",
        "CREATE INDEX file_by_owner ON file (owner, number)",
        """CREATE TABLE piece (
            file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE, number INTEGER NOT NULL,
            content BLOB NOT NULL, UNIQUE (file, number)
        ) STRICT""",
        """CREATE TABLE batch (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            contract TEXT NOT NULL, state TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL,
            total INTEGER NOT NULL, completed INTEGER NOT NULL, failed INTEGER NOT NULL,
            fields TEXT NOT NULL, size INTEGER NOT NULL
        ) STRICT""",
        "CREATE INDEX batch_by_owner ON batch (owner, contract, number)",
        """CREATE TABLE task (
            batch INTEGER NOT NULL REFERENCES batch ON DELETE CASCADE, number INTEGER NOT NULL,
            name TEXT NOT NULL, request BLOB, answer BLOB, is_error INTEGER, UNIQUE (batch, number)
        ) STRICT""",
        "CREATE TABLE runner (holder TEXT NOT NULL, until REAL NOT NULL) STRICT",
        "INSERT INTO runner VALUES ('', 0)",
        "CREATE TABLE held (bytes INTEGER NOT NULL) STRICT",
        "INSERT INTO held VALUES (0)",
        *(
            statement
            for table in ("file", "batch")
            for statement in (
                f"""CREATE TRIGGER {table}_added AFTER INSERT ON {table} BEGIN
                    UPDATE held SET bytes = bytes + new.size;
                END""",
                f"""CREATE TRIGGER {table}_resized AFTER UPDATE OF size ON {table} BEGIN
                    UPDATE held SET bytes = bytes + new.size - old.size;
                END""",
                f"""CREATE TRIGGER {table}_removed AFTER DELETE ON {table} BEGIN
                    UPDATE held SET bytes = bytes - old.size;
                END""",
            )
        ),
    ),
)

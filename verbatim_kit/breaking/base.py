"""The repository as it was at another commit."""

import io
import subprocess
import tarfile
from pathlib import Path


class NoBase(Exception):
    """There is no such commit to compare with. is_shallow: because the clone holds only the newest ones."""

    def __init__(self, reference: str, is_shallow: bool) -> None:
        super().__init__(f"no commit {reference} in this clone")
        self.is_shallow = is_shallow


def default_reference(root: Path) -> str:
    """The default to compare with: the first of these that there is and that is not HEAD itself.

    The last release, which is the newest tag before HEAD; where the branch left the default branch of
    `origin`; the commit before, which sees no more than the last commit of a series.
    """
    head = _git(root, "rev-parse", "HEAD")
    tag = _git(root, "describe", "--tags", "--abbrev=0", "HEAD~1")
    if tag is not None:
        return tag.decode().strip()
    fork = _git(root, "merge-base", "HEAD", "origin/HEAD")
    if fork is not None and fork != head:
        return fork.decode().strip()
    return "HEAD~1"


class Base:
    """A commit of the repository at `root`. Raises NoBase."""

    def __init__(self, root: Path, reference: str) -> None:
        self._root = root
        found = self._git("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")
        if found is None:
            shallow = self._git("rev-parse", "--is-shallow-repository")
            raise NoBase(reference, shallow is not None and shallow.strip() == b"true")
        self.reference = reference
        self.commit = found.decode().strip()

    def read(self, path: str) -> str | None:
        """A file's text; None where the commit has none."""
        content = self._git("show", f"{self.commit}:{path}")
        return None if content is None else content.decode()

    def folders(self, path: str) -> list[str]:
        """Names of the folders in a folder; none where the commit has no such folder."""
        listing = self._git("ls-tree", "-d", "--name-only", f"{self.commit}:{path}")
        return [] if listing is None else listing.decode().splitlines()

    def extract(self, path: str, target: Path) -> bool:
        """Writes a folder's files under `target`, at the same path. False where the commit has none."""
        archive = self._git("archive", self.commit, path)
        if archive is None:
            return False
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(target, filter="data")
        return True

    def _git(self, *arguments: str) -> bytes | None:
        return _git(self._root, *arguments)


def _git(root: Path, *arguments: str) -> bytes | None:
    """Return what git prints; None if it fails."""
    result = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    return result.stdout if result.returncode == 0 else None

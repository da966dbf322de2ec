import gc

from handlers.process.gc_tuning import collector_off, freeze_imports, freeze_start_up


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


def test_nothing_is_collected_while_a_server_starts_and_all_is_once_it_has_started() -> None:
    with collector_off():
        assert not gc.isenabled()
        freeze_start_up()
        assert gc.isenabled() and gc.get_freeze_count()
    assert not gc.get_freeze_count()
    with collector_off():
        pass
    assert gc.isenabled()  # also where it does not come so far


def test_imports_are_no_longer_visited() -> None:
    early = _Cycle()
    try:
        freeze_imports()
        assert not any(found is early for found in gc.get_objects())
    finally:
        gc.unfreeze()


def test_what_is_there_at_the_start_is_no_longer_visited_and_what_comes_later_is() -> None:
    early = _Cycle()
    try:
        freeze_start_up()
        late = _Cycle()
        visited = gc.get_objects()
        assert not any(found is early for found in visited)
        assert any(found is late for found in visited)
    finally:
        gc.unfreeze()

import gc

from handlers.garbage import freeze_start_up


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


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

import pytest

from engine.port.errors import KernelsMissing
from engine.port.info.kernels import (
    Kernel,
    Obstacle,
    by_obstacle,
    check_none_is_missing,
    in_use,
    kernel,
    kernel_of_layers,
    not_in_use,
)

UNLIKE = Obstacle("needs avx512_bf16")
LACK = Obstacle("no C++ compiler is found (g++)", is_lack=True)


def test_a_kernel_without_an_obstacle_is_in_use() -> None:
    assert kernel("ranking", None) == Kernel("ranking", True)
    assert kernel("ranking", LACK) == Kernel("ranking", False, obstacle=LACK)


@pytest.mark.parametrize(
    ("num_served", "num_layers", "expected"),
    [
        (3, 3, Kernel("layer_fusion", True, "3 of 3 layers")),
        (2, 3, Kernel("layer_fusion", True, "2 of 3 layers", UNLIKE)),
        (0, 3, Kernel("layer_fusion", False, obstacle=UNLIKE)),
        (0, 0, Kernel("layer_fusion", False, obstacle=UNLIKE)),
    ],
)
def test_a_kernel_that_serves_no_layer_or_not_all_says_why(
    num_served: int, num_layers: int, expected: Kernel
) -> None:
    assert kernel_of_layers("layer_fusion", num_served, num_layers, UNLIKE) == expected


def test_kernels_are_grouped_by_what_stands_in_their_way() -> None:
    kernels = [kernel("linear", UNLIKE), kernel("ranking", None), kernel("chunk_attention", UNLIKE)]
    [(obstacle, group)] = by_obstacle(kernels).items()
    assert obstacle == UNLIKE
    assert not_in_use(group) == "linear, chunk attention"


def test_kernels_are_listed_with_what_they_serve() -> None:
    kernels = [
        kernel("linear", UNLIKE),
        kernel("ranking", None),
        kernel_of_layers("layer_fusion", 2, 3, UNLIKE),
    ]
    assert in_use(kernels) == "ranking, layer fusion (2 of 3 layers)"
    assert not_in_use([kernels[0], kernels[2]]) == "linear, the rest of layer fusion"


def test_what_a_processor_or_a_model_cannot_use_is_not_missing() -> None:
    check_none_is_missing([kernel("ranking", None), kernel("linear", UNLIKE)])


def test_what_could_be_used_and_is_not_is_named_with_the_reason_in_one_line() -> None:
    differs = Obstacle("outputs differ", is_lack=True)
    kernels = [
        kernel("decode_attention", LACK),
        kernel("linear", UNLIKE),
        kernel_of_layers("layer_fusion", 2, 3, differs),
        kernel("ranking", LACK),
    ]
    with pytest.raises(KernelsMissing) as raised:
        check_none_is_missing(kernels)
    assert str(raised.value) == (
        "compiled code that could be used is not; decode attention, ranking: no C++ compiler is found (g++); "
        "the rest of layer fusion: outputs differ"
    )

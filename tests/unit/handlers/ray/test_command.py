"""The command `verbatim ray` without Ray: the configuration it prints, and what it refuses."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from handlers.cli import main
from handlers.ray.application import read_arguments
from handlers.ray.options import APPLICATION, DEPLOYMENT
from handlers.settings.settings import Settings


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, dict[str, Any]]:
    assert main(["ray", *arguments, "--print-config"]) == 0
    text = capsys.readouterr().out
    return text, yaml.safe_load(text)


def deployment(config: dict[str, Any]) -> dict[str, Any]:
    [application] = config["applications"]
    assert application["import_path"] == APPLICATION
    [found] = application["deployments"]
    assert found["name"] == DEPLOYMENT
    return dict(found)


def test_the_configuration_has_the_given_settings_and_no_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERBATIM_MODEL_ALIAS", "a,b")
    arguments = ("some/model", "--speculate", "ngram:4", "--port", "9000", "--host", "::")
    text, config = printed(capsys, *arguments)
    assert text.startswith("# ") and config["http_options"]["port"] == 9000
    args = config["applications"][0]["args"]
    assert args == {"model": "some/model", "model_alias": ["a", "b"], "speculate": 4, "host": "::"}
    monkeypatch.delenv("VERBATIM_MODEL_ALIAS")
    assert read_arguments(args) == Settings(
        model="some/model", model_alias=["a", "b"], speculate=4, host="::"
    )


def test_a_file_of_a_template_is_read_where_the_command_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "template.jinja").write_text("{{ messages }}", encoding="utf-8")
    _, config = printed(capsys, "--chat-template", str(tmp_path / "template.jinja"))
    assert config["applications"][0]["args"]["chat_template"] == "{{ messages }}"


def test_secrets_are_named_and_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    text, _ = printed(
        capsys, "--api-key", "sesame", "--ssl-certfile", "c", "--ssl-keyfile-password", "sesame"
    )
    assert "sesame" not in text
    assert "VERBATIM_API_KEY" in text and "VERBATIM_SSL_KEYFILE_PASSWORD" in text


def test_a_url_with_a_password_and_a_command_are_named_and_not_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = ("--engine", "vllm", "--engine-url")
    text, config = printed(capsys, *at, "http://me:sesame@gpu:8000,http://other:8000")
    assert "sesame" not in text and "VERBATIM_ENGINE_URL" in text
    assert config["applications"][0]["args"] == {"engine": "vllm", "host": "127.0.0.1"}
    text, config = printed(capsys, *at, "http://gpu:8000")
    assert config["applications"][0]["args"]["engine_url"] == ["http://gpu:8000"]
    text, _ = printed(
        capsys, "--engine", "vllm", "--engine-command", "vllm serve --port {port} --api-key sesame"
    )
    assert "sesame" not in text and "VERBATIM_ENGINE_COMMAND" in text


def test_replicas_are_fixed_or_scaled(capsys: pytest.CaptureFixture[str]) -> None:
    fixed = deployment(printed(capsys, "--replicas", "3")[1])
    assert fixed["num_replicas"] == 3 and "autoscaling_config" not in fixed
    scaled = deployment(printed(capsys, "--replicas", "2", "--max-replicas", "8")[1])
    bounds = {"min_replicas": 2, "max_replicas": 8, "target_ongoing_requests": 64.0}
    assert scaled["autoscaling_config"] == bounds and "num_replicas" not in scaled


def test_cores_and_gpus_of_a_replica_are_on_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    found = deployment(printed(capsys, "--replica-cpus", "4", "--replica-gpus", "2")[1])
    assert found["ray_actor_options"] == {"num_cpus": 4, "num_gpus": 2}
    assert found["placement_group_bundles"] == [{"CPU": 4, "GPU": 2}]
    assert found["placement_group_strategy"] == "STRICT_PACK"
    spread = deployment(printed(capsys, "--replicas-per-node", "1")[1])
    assert spread["max_replicas_per_node"] == 1 and "placement_group_bundles" not in spread


def test_ray_waits_for_requests_longer_than_the_grace_period(capsys: pytest.CaptureFixture[str]) -> None:
    found = deployment(printed(capsys, "--graceful-termination-timeout", "7")[1])
    assert found["graceful_shutdown_timeout_s"] > 7


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--replicas", "0"), "--replicas: "),
        (("--replicas", "2", "--max-replicas", "1"), "--max-replicas must not be less than replicas"),
        (("--target-ongoing-requests", "3"), "--target-ongoing-requests needs a --max-replicas"),
        (("--replica-cpus", "0"), "--replica-cpus: "),
        (("--route-prefix", "models"), "--route-prefix: "),
        (("--port", "0"), "--port: "),
        (("--engine", "vllm"), "--engine-url"),
    ],
    ids=" ".join,
)
def test_a_wrong_setting_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert main(["ray", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_without_ray_the_command_says_what_installs_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["ray", "--header-timeout", "5"]) == 1
    out, error = capsys.readouterr()
    assert "without effect behind Ray's proxies: --header-timeout" in out
    assert error.startswith("verbatim: error: Ray Serve cannot be imported") and error.count("\n") == 1
    assert "verbatim-server[ray]" in error


def test_a_name_in_a_file_that_is_no_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="modle: no setting"):
        read_arguments({"modle": "some/model"})
    with pytest.raises(ValueError, match="--max-concurrent-requests: "):
        read_arguments({"max_concurrent_requests": 0})

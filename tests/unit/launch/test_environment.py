from pathlib import Path

from referee.launch.environment import Access, access_variables, bot_environment

ACCESS = Access(server="unix:/s", token="secret", name="random", log_dir=Path("/logs"))


def test_a_bot_finds_where_to_connect_and_who_it_is() -> None:
    assert access_variables(ACCESS) == {
        "TICHU_SERVER": "unix:/s",
        "TICHU_TOKEN": "secret",
        "TICHU_BOT_NAME": "random",
        "TICHU_LOG_DIR": "/logs",
    }


def test_a_bot_inherits_everything_but_the_access_of_another() -> None:
    inherited = {"PATH": "/bin", "TICHU_TOKEN": "other", "TICHU_CA_FILE": "/other.pem"}
    environment = bot_environment(inherited, ACCESS)
    assert environment["PATH"] == "/bin"
    assert environment["TICHU_TOKEN"] == "secret"
    assert "TICHU_CA_FILE" not in environment


def test_a_bot_is_given_no_file_that_steers_the_job_of_ci() -> None:
    steering = ("ENV", "PATH", "OUTPUT", "STATE", "STEP_SUMMARY")
    inherited = {"GITHUB_SHA": "1f8c", "CI": "true"}
    files = {f"GITHUB_{name}": "/runner/file" for name in steering}
    environment = bot_environment({**inherited, **files}, ACCESS)
    assert environment == inherited | access_variables(ACCESS)

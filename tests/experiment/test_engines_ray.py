"""The Ray engine on a real cluster of two nodes: the rows of this machine, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from collectors import BRIEF, LONG, Collectors, ended, local_rows
from ray_cluster import RayCluster, ray_cluster

pytestmark = [pytest.mark.full, pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    with ray_cluster(tmp_path_factory.mktemp("ray")) as started:
        yield started


@pytest.fixture(scope="module")
def long_rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return local_rows(LONG, tmp_path_factory.mktemp("local"))


@pytest.fixture
def collectors(cluster: RayCluster, tmp_path: Path) -> Collectors:
    return Collectors(tmp_path, f"Ray(address={cluster.address!r}, patience=patience)", cluster.variables)


def test_ray_gives_the_rows_of_this_machine(collectors: Collectors, tmp_path: Path) -> None:
    collectors.run(BRIEF)
    assert len(collectors.rows()) == 6
    assert collectors.rows() == local_rows(BRIEF, tmp_path / "local")
    assert collectors.is_tidy()


def test_a_worker_that_is_killed_is_submitted_again_and_goes_on(
    collectors: Collectors, long_rows: dict[str, Any]
) -> None:
    process = collectors.start(LONG)
    os.kill(collectors.lease_in_training().pid, signal.SIGKILL)
    told = ended(process)
    assert "of Ray ended by signal 9. " in told
    assert "goes on in a new one." in told
    assert collectors.rows() == long_rows


def test_a_collector_that_is_killed_finds_its_actors_again(collectors: Collectors, long_rows: dict[str, Any]) -> None:
    process = collectors.start(LONG)
    lease = collectors.lease_in_training()
    process.kill()
    process.communicate()
    told = collectors.run(LONG)
    assert "4 jobs of Ray were submitted before, and go on." in told
    assert collectors.rows() == long_rows
    assert "goes on in a new one." not in told, lease


def test_the_stack_of_a_node_that_is_lost_goes_on_elsewhere(
    collectors: Collectors, cluster: RayCluster, long_rows: dict[str, Any]
) -> None:
    process = collectors.start(LONG)
    collectors.lease_in_training(job=collectors.lease_in_training().job)  # one on each node
    cluster.kill_second_node()
    assert "of Ray is lost: " in ended(process)
    assert collectors.rows() == long_rows

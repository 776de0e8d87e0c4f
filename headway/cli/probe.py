"""``headway probe``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headway.cli.localized import command, option
from headway.cli.output import make_table, print_json, print_message, say, stderr_console, stdout_console
from headway.i18n import current_translator
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from headway.machine import Machine


_ADVISED = ("machine-note-busy", "machine-note-no-compiler")
"""Notes that are not shown, since the advice says the same and what to do about it."""


@command("probe")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
@option("--refresh", help_id="cli-option-refresh", is_flag=True)
@option("--no-measure", help_id="cli-option-no-measure", is_flag=True)
def probe(as_json: bool, refresh: bool, no_measure: bool) -> None:
    """Read and measure this machine."""
    machine = probe_with_bar(measure=not no_measure, refresh=refresh)
    if as_json:
        print_json(machine.to_dict())
    else:
        show_machine(machine)


def probe_with_bar(folder: Path | str = ".", *, measure: bool = True, refresh: bool = False) -> Machine:
    """Probe this machine, with a progress bar where somebody is watching."""
    from headway import machine

    if not sys.stderr.isatty():
        return machine.probe(folder, measure=measure, refresh=refresh, progress=_say_stage)
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr_console(), transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def report(message_id: str, fraction: float) -> None:
            bar.update(task, description=current_translator().text(message_id), completed=fraction)

        return machine.probe(folder, measure=measure, refresh=refresh, progress=report)


def _say_stage(message_id: str, _fraction: float) -> None:
    """Say what is measured; reading what the machine is takes no time worth a line."""
    if message_id not in ("machine-stage-inventory", "machine-stage-done"):
        say(current_translator().text(message_id))


def show_machine(machine: Machine) -> None:
    """Print the machine as a table, then the advice."""
    from headway.machine import advice

    translator, console = current_translator(), stdout_console()
    rows = [(translator.text(f"cli-probe-{name}"), value) for name, value in _facts(machine)]
    console.print(make_table((translator.text("cli-column-what"), translator.text("cli-column-value")), rows))
    if machine.measurements is not None:
        when = machine.measurements.measured_at.replace("T", " ").replace("+00:00", " UTC")
        console.print(translator.text("cli-probe-measured", when=when))
    for note in machine.measurements.notes if machine.measurements else ():
        if note.message_id not in _ADVISED:
            print_message(console, "!", note.message_id, note.arguments)
    for item in advice(machine):
        print_message(console, "!" if item.level == "warning" else "-", item.message_id, item.arguments)


def _facts(machine: Machine) -> list[tuple[str, str]]:
    inventory, locale = machine.inventory, current_translator().language
    processor = inventory.processor
    facts = [
        ("processor", str(processor.model_name or format_quantity("name", None))),
        ("cores", f"{processor.usable_cores} / {processor.num_logical_cores}"),
        ("instruction_sets", ", ".join(processor.instruction_sets)),
        ("memory", format_quantity("bytes", inventory.memory.total_bytes, locale)),
        ("disk_free", format_quantity("bytes", inventory.disk.free_bytes, locale)),
        ("accelerators", ", ".join(device.name or "?" for device in inventory.accelerators) or "0"),
    ]
    if machine.measurements is None:
        return facts
    return facts + [(name, format_quantity(unit, value, locale)) for name, unit, value in _measured(machine)]


def _measured(machine: Machine) -> list[tuple[str, str, float | None]]:
    found = machine.measurements
    assert found is not None, "the caller has looked"
    rows: list[tuple[str, str, float | None]] = [
        ("triad", "bytes_per_second", found.memory.triad_bytes_per_second if found.memory else None)
    ]
    for dtype in ("fp32", "bf16", "int8"):
        points: list[Any] = [point for point in found.matmul.points if point.dtype == dtype] if found.matmul else []
        best = max((point.flops_per_second for point in points), default=None)
        rows.append((f"matmul_{dtype}", "flops_per_second", best))
    rows.append(("disk_write", "bytes_per_second", found.disk.write_bytes_per_second if found.disk else None))
    rows.append(("disk_read", "bytes_per_second", found.disk.read_bytes_per_second if found.disk else None))
    return rows

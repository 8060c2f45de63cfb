"""Phone errors as a metric of torchmetrics, which whatever logs metrics can log; needs torch and torchmetrics.

Import it by its name: `from phonxling.torchmetrics import PhoneErrorRate`.
"""

from typing import Any

from phonxling.experiment.phone_errors import Batch, PhoneErrorRates, PhoneErrors

try:
    import torch
    import torchmetrics
except ImportError as error:
    raise ImportError("phonxling.torchmetrics needs torchmetrics: pip install torchmetrics") from error


class PhoneErrorRate(torchmetrics.Metric):  # type: ignore[misc]  # of a package that may not be here
    """A phone error rate over batches and processes, by `PhoneErrors`; `rates` has all of its numbers.

    Parameters
    ----------
    measure : str
        The number that `compute` gives: `per`, `wper`, or any other of `PhoneErrorRates.to_dict`.
    options
        As for `PhoneErrors`: costs, symbols, rules, …

    Of one wrong phone in four, after `metric.update(["k a d a"], ["k a t a"])`, `metric.compute()` is tensor(0.2500).
    """

    full_state_update = False
    higher_is_better = False
    is_differentiable = False

    def __init__(self, measure: str = "per", **options: Any) -> None:  # noqa: ANN401 - as PhoneErrors has them
        super().__init__(sync_on_compute=False)  # counts of phones are no tensors: `rates` gathers them
        self.measure, self.options = measure, options
        self.errors = PhoneErrors(**options)

    def update(self, predicted: Batch, gold: Batch) -> None:
        """Count a batch, predictions first as torchmetrics has them; errors as for `PhoneErrors.update`."""
        self.errors.update(gold, predicted)

    def rates(self) -> PhoneErrorRates:
        """Return the rates of everything that all processes have counted so far."""
        return _gather_errors(self.errors).compute()

    def compute(self) -> "torch.Tensor":
        """Return the number as a tensor; NaN of nothing."""
        return self._number_of(self.rates())

    def forward(self, predicted: Batch, gold: Batch) -> "torch.Tensor":
        """Count a batch, and return the number of that batch alone."""
        # torchmetrics' own forward would reset and merge states, which here are not tensors.
        self.update(predicted, gold)
        batch = PhoneErrors(**self.options)
        batch.update(gold, predicted)
        return self._number_of(batch.compute())

    def reset(self) -> None:
        """Forget everything counted so far."""
        super().reset()
        self.errors.reset()

    def _number_of(self, rates: PhoneErrorRates) -> "torch.Tensor":
        return torch.tensor(rates.to_dict()[self.measure], device=self.device)


def _gather_errors(errors: PhoneErrors) -> PhoneErrors:
    """Return the errors of all processes together; those of this one where there is no other."""
    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return errors
    parts: list[Any] = [None] * distributed.get_world_size()
    # Inventories differ between processes, so there is no tensor of one shape to be summed.
    distributed.all_gather_object(parts, errors)
    total: PhoneErrors = sum(parts)
    return total

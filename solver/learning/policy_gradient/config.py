"""The settings of a training run. Each setting is an option of ``learn train``."""

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from solver.advice.wire import BadInput
from solver.players.network import ACTIVATIONS, BERNOULLI, BY_FACE, CATEGORICAL, Shape

ALGORITHMS = ("reinforce", "a2c", "ppo")
TASKS = ("game", "turn")
DICE = {
    "one-hot": ("dice",),
    "counts": ("counts",),
    "both": ("dice", "counts"),
    "attention": (),
    "attention-places": (),
}
CARDS = {
    "raw": "upper_points",
    "distance": "upper_distance",
    "normalised": "upper_share",
    "threshold": "upper_secured",
    "par": "upper_par",
}
FEATURES = {
    "progress": ("progress",),
    "rolls": ("throws_left",),
    "joker": ("joker",),
    "chips": ("chips",),
    "potential": ("potential",),
}
INITIAL = ("he", "orthogonal")
OPTIMISERS = ("adam", "rmsprop")
SCHEDULES = ("constant", "linear", "cosine")
COUNTS = ("games", "batch", "width", "depth", "epochs", "part", "every", "graded", "embedding")
BASELINES = ("none", "mean", "value")


class BadConfig(BadInput):
    """The error for settings that contradict each other or are out of range."""


def make_setting(default: Any, meaning: str, options: Any = None, *, many: bool = False) -> Any:
    about = {"meaning": meaning, "options": options and tuple(options), "many": many}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Config:
    ruleset: str = make_setting("yahtzee", "ruleset to play")
    algorithm: str = make_setting("ppo", "policy gradient algorithm", ALGORITHMS)
    task: str = make_setting("game", "reward of the whole game, or of each turn", TASKS)
    games: int = make_setting(300_000, "number of training games")
    batch: int = make_setting(256, "games per update of the policy")
    starts: float = make_setting(
        0.5, "share of a batch that starts on random cards; falls linearly to 0"
    )
    seed: int = make_setting(1, "seed of initial parameters, dice and choices")
    dice: str = make_setting("both", "encoding of the dice", DICE)
    embedding: int = make_setting(16, "length of a die's learned vector (attention only)")
    card: tuple[str, ...] = make_setting(
        ("normalised", "threshold", "par"), "encodings of the upper total", CARDS, many=True
    )
    features: tuple[str, ...] = make_setting(
        tuple(FEATURES), "other features of the position", FEATURES, many=True
    )
    rolling: str = make_setting(
        BY_FACE,
        "head of the holds: 32 holds, each die separately, or a number of dice per face",
        (CATEGORICAL, BERNOULLI, BY_FACE),
    )
    width: int = make_setting(256, "units per layer of the trunk")
    depth: int = make_setting(2, "number of layers of the trunk")
    initial: str = make_setting("he", "initial weights of the trunk", INITIAL)
    layer_norm: bool = make_setting(True, "normalise the sums of each layer")
    activation: str = make_setting("swish", "activation of the trunk", ACTIVATIONS)
    optimiser: str = make_setting("adam", "optimiser of the parameters", OPTIMISERS)
    rate: float = make_setting(2e-3, "highest learning rate")
    warm_up: float = make_setting(0.02, "share of the games in which the learning rate rises")
    schedule: str = make_setting("linear", "fall of the learning rate after warm-up", SCHEDULES)
    entropy: float = make_setting(0.05, "entropy bonus at the start")
    entropy_end: float = make_setting(0.0, "entropy bonus at the end, reached linearly")
    value_weight: float = make_setting(0.5, "weight of the value's squared error in the loss")
    clip_norm: float = make_setting(0.5, "largest norm of the gradient over all parameters")
    gae_lambda: float = make_setting(0.3, "lambda: 0 uses the value head, 1 the points of the game")
    gamma: float = make_setting(1.0, "discount of the next action's points at the start")
    gamma_end: float = make_setting(1.0, "discount at the end, reached linearly")
    normalised: bool = make_setting(True, "divide a batch's advantages by their standard deviation")
    baseline: str = make_setting("value", "reinforce: baseline of the return", BASELINES)
    clip: float = make_setting(0.2, "ppo: largest difference of a probability ratio from 1")
    epochs: int = make_setting(2, "passes over a batch (reinforce and a2c: 1)")
    part: int = make_setting(512, "decisions per step (reinforce and a2c: the whole batch)")
    most_kl: float = make_setting(0.0, "ppo: KL divergence that ends a batch (0: none)")
    scale: float = make_setting(10.0, "points per reward of 1")
    every: int = make_setting(20_000, "games between two gradings")
    graded: int = make_setting(4_000, "greedy games per grading")
    exact_curve: bool = make_setting(False, "grade exactly instead of in games: minutes each")

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            options = setting.metadata["options"]
            for item in value if setting.metadata["many"] else [value]:
                if options and item not in options:
                    raise BadConfig(
                        f"{setting.name} must be one of {', '.join(options)}, not {item}"
                    )
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
                raise BadConfig(f"{setting.name} must not be below 0")
            if setting.name in COUNTS and value < 1:
                raise BadConfig(f"{setting.name} is at least 1")
        if self.dice.startswith("attention") and self.embedding % 2:
            raise BadConfig("embedding must be even: it consists of sines and cosines")

    @property
    def shape(self) -> Shape:
        groups = [*DICE[self.dice], "open", *(CARDS[name] for name in self.card)]
        for name in self.features:
            groups += FEATURES[name]
        attends = self.dice.startswith("attention")
        return Shape(
            inputs=tuple(groups),
            width=self.width,
            depth=self.depth,
            layer_norm=self.layer_norm,
            activation=self.activation,
            rolling=self.rolling,
            embedding=self.embedding if attends else 0,
            places=self.dice == "attention-places",
        )

    def interpolate(self, name: str, share: float) -> float:
        """Interpolate linearly from ``name`` to ``name_end``, by the share of games played."""
        first: float = getattr(self, name)
        last: float = getattr(self, f"{name}_end")
        return first + (last - first) * share

    @property
    def batches(self) -> int:
        return -(-self.games // self.batch)

    def facts(self) -> dict[str, Any]:
        return asdict(self)


WHOLE = 10**9  # a number of decisions that no batch reaches
# Settings that define an algorithm: one step over the whole batch and, for REINFORCE, the result of
# the whole game as the advantage.
PRESETS: dict[str, dict[str, Any]] = {
    "reinforce": {"gae_lambda": 1.0, "epochs": 1, "part": WHOLE},
    "a2c": {"epochs": 1, "part": WHOLE},
    "ppo": {},
}


def make_config(**choices: Any) -> Config:
    """Return the given settings. Add the presets of the algorithm, and then the default values."""
    algorithm = choices.get("algorithm", "ppo")
    return Config(**{**PRESETS.get(algorithm, {}), **choices})


def parse_config(facts: dict[str, Any]) -> Config:
    lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
    return replace(Config(), **{**facts, **lists})

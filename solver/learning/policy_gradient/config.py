"""Every choice of a training run, each a flag of ``learn train``."""

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
    """Choices that do not go together; the message says which."""


def choice(default: Any, meaning: str, options: Any = None, *, many: bool = False) -> Any:
    """Return a field with what ``--help`` says of it."""
    about = {"meaning": meaning, "options": options and tuple(options), "many": many}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Config:
    ruleset: str = choice("yahtzee", "the rules that are played")
    algorithm: str = choice("ppo", "the policy gradient", ALGORITHMS)
    task: str = choice("game", "what is rewarded: the whole game, or each turn alone", TASKS)
    games: int = choice(300_000, "how many are played in training")
    batch: int = choice(256, "games that are played before the policy is changed")
    starts: float = choice(
        0.5, "share of a batch that begins on random cards, at first; it falls to nought in a line"
    )
    seed: int = choice(1, "of the first parameters, the dice and the choices")
    dice: str = choice("both", "encoding of the dice", DICE)
    embedding: int = choice(16, "length of a die's learned vector, with attention")
    card: tuple[str, ...] = choice(
        ("normalised", "threshold", "par"), "encodings of the upper total", CARDS, many=True
    )
    features: tuple[str, ...] = choice(
        tuple(FEATURES), "what else is computed from the position", FEATURES, many=True
    )
    rolling: str = choice(
        BY_FACE,
        "head of the holds: one of 32, every die alone, or how many of every face",
        (CATEGORICAL, BERNOULLI, BY_FACE),
    )
    width: int = choice(256, "of a layer of the trunk")
    depth: int = choice(2, "layers of the trunk")
    initial: str = choice("he", "first weights of the trunk", INITIAL)
    layer_norm: bool = choice(True, "normalise the sums of every layer")
    activation: str = choice("swish", "of the trunk", ACTIVATIONS)
    optimiser: str = choice("adam", "what moves the parameters", OPTIMISERS)
    rate: float = choice(2e-3, "learning rate, at its highest")
    warm_up: float = choice(0.02, "share of the games in which it rises to that")
    schedule: str = choice("linear", "how it falls to nought afterwards", SCHEDULES)
    entropy: float = choice(0.05, "bonus for undecided play")
    entropy_end: float = choice(0.0, "the same in the end, reached in a line")
    value_weight: float = choice(0.5, "of the value's squared error in the loss")
    clip_norm: float = choice(0.5, "largest gradient, as the norm of all parameters")
    gae_lambda: float = choice(0.3, "generalised advantages: 0 trusts the value, 1 the game")
    gamma: float = choice(1.0, "what points of the next action count, at first")
    gamma_end: float = choice(1.0, "the same in the end, reached in a line")
    normalised: bool = choice(True, "advantages of a batch in units of their own spread")
    baseline: str = choice("value", "what reinforce takes off the return", BASELINES)
    clip: float = choice(0.2, "ppo: how far from 1 a ratio of chances counts")
    epochs: int = choice(2, "times that a batch is gone through (reinforce and a2c: 1)")
    part: int = choice(512, "decisions per update (reinforce and a2c: the whole batch)")
    most_kl: float = choice(0.0, "ppo: a batch is left where the policy moved this far (0: never)")
    scale: float = choice(10.0, "points that are a reward of 1")
    every: int = choice(20_000, "games between two gradings by greedy play")
    graded: int = choice(4_000, "greedy games of a grading")
    exact_curve: bool = choice(False, "grade by no games, exactly: minutes of a core each")

    def __post_init__(self) -> None:
        for setting in fields(self):
            _check(setting.name, getattr(self, setting.name), setting.metadata)
        if self.dice.startswith("attention") and self.embedding % 2:
            raise BadConfig("an embedding with sines and cosines has an even length")

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

    def at(self, name: str, share: float) -> float:
        """Interpolate linearly between ``name`` and ``name_end`` after this share of the games."""
        first: float = getattr(self, name)
        last: float = getattr(self, f"{name}_end")
        return first + (last - first) * share

    @property
    def batches(self) -> int:
        return -(-self.games // self.batch)

    def facts(self) -> dict[str, Any]:
        return asdict(self)


WHOLE = 10**9  # decisions: more than a batch has
# What an algorithm needs besides its name: one step over the whole batch, and, where the
# return is that of the whole game, no bootstrapping.
PRESETS: dict[str, dict[str, Any]] = {
    "reinforce": {"gae_lambda": 1.0, "epochs": 1, "part": WHOLE},
    "a2c": {"epochs": 1, "part": WHOLE},
    "ppo": {},
}


def config_of(**choices: Any) -> Config:
    """Return the choices, and the algorithm's own where nothing was chosen."""
    algorithm = choices.get("algorithm", "ppo")
    return Config(**{**PRESETS.get(algorithm, {}), **choices})


def config_from(facts: dict[str, Any]) -> Config:
    lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
    return replace(Config(), **{**facts, **lists})


def _check(name: str, value: Any, about: Any) -> None:
    options = about["options"]
    for item in value if about["many"] else [value]:
        if options and item not in options:
            raise BadConfig(f"{name} is one of {', '.join(options)}, not {item}")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        raise BadConfig(f"{name} is not below 0")
    if name in COUNTS and value < 1:
        raise BadConfig(f"{name} is at least 1")

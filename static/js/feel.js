// Sounds and vibration, if the player has switched them on. All sounds are made here, from noise and a motif of a few
// notes.

let context = null;
let noise = null; // a second of noise; every sound takes a part of it

function begin() {
  if (context) return;
  context = new AudioContext(); // browsers allow it only after a press
  noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
  const wave = noise.getChannelData(0);
  for (let n = 0; n < wave.length; n++) wave[n] = Math.random() * 2 - 1;
}

// Rises at once, then falls to silence at `at + length`.
function envelope(at, length, loud) {
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(loud, at + 0.002);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
  volume.connect(context.destination);
  return volume;
}

// Filtered noise, with material, pitch, sharpness, length and volume.
function rub(after, { type = "bandpass", tone, sharp, length, loud }) {
  const at = context.currentTime + after;
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type, frequency: tone, Q: sharp });
  source.connect(filter).connect(envelope(at, length, loud));
  source.start(at, Math.random() * (1 - length), length);
}

function note(after, tone) {
  const at = context.currentTime + after;
  const source = new OscillatorNode(context, { type: "triangle", frequency: tone });
  source.connect(envelope(at, 0.32, 0.12));
  source.start(at);
  source.stop(at + 0.34);
}

// A die on felt: dull when it strikes, then softer and higher when it comes to rest.
function knock(after) {
  const tone = 260 + 160 * Math.random();
  rub(after + 0.15, { type: "lowpass", tone: 3 * tone, sharp: 2, length: 0.09, loud: 0.9 });
  rub(after + 0.3, { tone: 5 * tone, sharp: 3, length: 0.05, loud: 0.45 });
}

// A pencil: a tick for a held die, two strokes for a score.
function tick(held) {
  rub(0, { tone: held ? 3200 : 2300, sharp: 5, length: 0.03, loud: 0.5 });
}

function scratch() {
  rub(0, { tone: 4200, sharp: 1.2, length: 0.12, loud: 0.12 });
  rub(0.13, { tone: 3400, sharp: 1.2, length: 0.18, loud: 0.12 });
}

const MOTIF = [392, 523.25, 659.25]; // a fourth and a third upward
const motif = (after) => MOTIF.forEach((tone, n) => note(after + 0.11 * n, tone));

// Each die sounds when it lands; without motion the sounds follow each other.
function landings(current) {
  return [...current.querySelectorAll(".die[data-fresh] .die__face")].map((face, n) => {
    const { animationName, animationDelay } = getComputedStyle(face);
    return animationName === "none" ? 0.03 * n : parseFloat(animationDelay);
  });
}

// Five of a kind, a new upper bonus, or the player's best game.
let bonus = Boolean(document.querySelector(".bonus[data-won]"));

function moment(current) {
  const had = bonus;
  bonus = Boolean(current.querySelector(".bonus[data-won]"));
  const rare = ".dice[data-alike], .box[data-fresh][data-alike], .moment[data-moment='best']";
  return (bonus && !had) || Boolean(current.querySelector(rare));
}

function feel(current, sound, rhythm) {
  if ("sound" in current.dataset) {
    begin();
    sound();
  }
  if ("vibration" in current.dataset && !("guest" in current.dataset)) navigator.vibrate?.(rhythm);
}

document.addEventListener("yatzy:rolled", ({ detail: { dice, current } }) => {
  const rare = moment(current);
  feel(
    current,
    () => {
      if (dice) landings(current).forEach(knock);
      else scratch();
      if (rare) motif(dice ? 0.5 : 0.3);
    },
    dice ? [18, 60, 12, 90, 8] : 25,
  );
});
document.addEventListener("yatzy:held", ({ detail: held }) => {
  feel(document.getElementById("board"), () => tick(held), 10);
});

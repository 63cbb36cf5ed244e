// Sounds and vibration, where the player has switched them on. Every sound is made here, of noise.

let context = null;

function knock(at, tone, loud) {
  const length = Math.round(context.sampleRate * 0.05);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const wave = buffer.getChannelData(0);
  for (let n = 0; n < length; n++) wave[n] = (Math.random() * 2 - 1) * (1 - n / length) ** 6;
  const source = new AudioBufferSourceNode(context, { buffer });
  const wood = new BiquadFilterNode(context, { type: "bandpass", frequency: tone, Q: 6 });
  const volume = new GainNode(context, { gain: loud });
  source.connect(wood).connect(volume).connect(context.destination);
  source.start(context.currentTime + at);
}

// Each die falls twice: loud, then softer where it settles.
function dice(number) {
  for (let n = 0; n < number; n++) {
    knock(0.03 * n + 0.05 * Math.random(), 900 + 700 * Math.random(), 1.2);
    knock(0.24 + 0.03 * n, 1300 + 500 * Math.random(), 0.5);
  }
}

function feel(current, sound, rhythm) {
  if ("sound" in current.dataset) {
    context ??= new AudioContext(); // made after a press, as browsers demand
    sound();
  }
  if ("vibration" in current.dataset) navigator.vibrate?.(rhythm);
}

document.addEventListener("yatzy:rolled", ({ detail: { dice: number, current } }) => {
  if (number) feel(current, () => dice(number), [18, 60, 12, 90, 8]);
  else feel(current, () => knock(0, 420, 1.6), 25);
});
document.addEventListener("yatzy:held", ({ detail: held }) => {
  feel(document.getElementById("board"), () => knock(0, held ? 1100 : 700, 0.7), 10);
});

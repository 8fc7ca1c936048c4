const SOUNDS = { right: { hertz: 880, seconds: 0.08 }, wrong: { hertz: 160, seconds: 0.4 } } as const;
const VOLUME = 0.15;

let audio: AudioContext | undefined;

/** Plays a short high tone for what is right, and a long low one for what is wrong. */
export function playSound(kind: keyof typeof SOUNDS): void {
  const { hertz, seconds } = SOUNDS[kind];
  // A browser allows it only after a key or a click.
  audio ??= new AudioContext();
  const [tone, gain] = [audio.createOscillator(), audio.createGain()];
  tone.type = 'square';
  tone.frequency.value = hertz;
  gain.gain.value = VOLUME;
  tone.connect(gain).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + seconds);
}

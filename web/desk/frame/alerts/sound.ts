export type Sound = 'offer' | 'message';

/** Notes in Hz, each with its begin in seconds. */
const NOTES: Readonly<Record<Sound, readonly (readonly [frequency: number, start: number])[]>> = {
  offer: [
    [660, 0],
    [880, 0.16],
    [660, 0.5],
    [880, 0.66],
  ],
  message: [[740, 0]],
};
const NOTE_SECONDS = 0.14;
const VOLUME = 0.12;

let context: AudioContext | undefined;

/** Browsers allow sound only after the person has done something in the page: until then nothing is heard. */
export function playSound(sound: Sound): void {
  context ??= new AudioContext();
  context.resume().catch(() => undefined);
  if (context.state !== 'running' && !navigator.userActivation.hasBeenActive) return;
  for (const [frequency, start] of NOTES[sound]) playNote(context, frequency, context.currentTime + start);
}

function playNote(audio: AudioContext, frequency: number, start: number): void {
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.frequency.value = frequency;
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.001, start + NOTE_SECONDS);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + NOTE_SECONDS);
}

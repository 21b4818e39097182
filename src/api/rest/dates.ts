/** A moment as the interface writes it: `YYYY-MM-DD HH:MM:SS`, UTC. */
export function wireDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

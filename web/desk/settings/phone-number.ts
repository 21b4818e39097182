/** With the international prefix. The service decides; this is to say it before. */
export function isPhoneNumber(text: string): boolean {
  return /^\s*(?:\+|00)[\d\s()./-]+$/.test(text) && text.replaceAll(/\D/g, '').length >= 7;
}

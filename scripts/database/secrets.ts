import { wordsOf } from './names.ts'

const parts =
  /passw|passphrase|pwd|secret(?!ar)|token|credential|api_?key|private_?key|card_?number|social_security|security_code/
const words = /(?:^|_)(?:hash|salt|ssn|pin|otp|cvc|cvv)\d*(?:_|$)/

/** Whether the name of a column suggests a secret: `password`, `pin_hash`, `session_token`, `ssn`. */
export function looksSecret(name: string): boolean {
  const text = wordsOf(name)
  return parts.test(text) || words.test(text)
}

import { toWords } from './names.ts'

const parts = /passw|passphrase|passcode|pwd|secret(?!ar)|token|credential|card_?number|social_security|security_answer/
const words = /(?:^|_)(?:hash|salt|ssn|pin|otp|totp|cvc|cvv)\d*(?:_|$)/
const keys = /(?:^|_)(?:api|access|auth|private|signing|encryption|master|hmac|ssh)_?keys?(?:_|$)/
const codes = /(?:^|_)(?:security|mfa|2fa|backup|recovery|reset|verification)_?codes?(?:_|$)/
const whole = /^private$|(?:^|_)pass$/

/** Whether the name of a column suggests a secret: `password`, `pin_hash`, `session_token`, `backup_codes`, `ssn`. */
export function looksSecret(name: string): boolean {
  const text = toWords(name)
  return [parts, words, keys, codes, whole].some((pattern) => pattern.test(text))
}

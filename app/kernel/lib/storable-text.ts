/** The text, or undefined for U+0000 and unpaired surrogates, which the store cannot hold, and for other values. */
export function toStorableText(value: unknown): string | undefined {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed() ? value : undefined
}

export function isStorableText(value: unknown): value is string {
  return toStorableText(value) !== undefined
}

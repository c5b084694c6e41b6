import type { Schema } from '#openapi'

const textsByFormat: Readonly<Record<string, string>> = {
  'date-time': '2024-01-15T10:00:00Z',
  date: '2024-01-15',
  email: 'name@example.com',
  'idn-email': 'name@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000001',
  ipv4: '203.0.113.7',
  ipv6: '2001:db8::7',
}

/** Texts without a format, for common patterns: words, slugs, numbers, times. */
const texts = ['Example', 'example', '1', '10:00:00', 'EXAMPLE']

/** Returns a text that meets format, length and patterns; undefined if none of the known texts does. */
export function textExample(schema: Schema): string | undefined {
  const format = schema.format ?? (schema.anyOf as readonly Schema[] | undefined)?.[0]?.format
  const known =
    typeof format === 'string' ? [textsByFormat[format] ?? ''] : texts.map((text) => withLength(text, schema))
  return known.find((text) => text !== '' && isAllowed(text, schema))
}

function withLength(text: string, { minLength = 0, maxLength = text.length }: Schema): string {
  const repeated = text.repeat(Math.max(1, Math.ceil((minLength as number) / text.length)))
  return repeated.slice(0, Math.max(text.length, minLength as number)).slice(0, Math.max(maxLength as number, 0))
}

function isAllowed(text: string, { pattern, minLength, maxLength, allOf = [], not }: Schema): boolean {
  const patterns = [pattern, ...(allOf as readonly Schema[]).map((part) => part.pattern)]
  const excluded = ((not as Schema | undefined)?.enum ?? []) as readonly unknown[]
  return (
    patterns.every((source) => typeof source !== 'string' || new RegExp(source, 'u').test(text)) &&
    text.length >= ((minLength as number) ?? 0) &&
    text.length <= ((maxLength as number) ?? text.length) &&
    !excluded.includes(text)
  )
}

/** Returns 1 if it is allowed, else the allowed number next to it; undefined if there is none. */
export function numberExample(schema: Schema): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, not } = schema as Partial<
    Record<string, number>
  > & { not?: Schema }
  const step = multipleOf ?? 1
  const lowest = Math.max(minimum ?? Number.NEGATIVE_INFINITY, (exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + step)
  const highest = Math.min(maximum ?? Number.POSITIVE_INFINITY, (exclusiveMaximum ?? Number.POSITIVE_INFINITY) - step)
  const number = Math.ceil(Math.max(lowest, Math.min(1, highest)) / step) * step
  const excluded = (not?.enum ?? []) as readonly unknown[]
  return number >= lowest && number <= highest && !excluded.includes(number) ? number : undefined
}

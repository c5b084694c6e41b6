import { v4 } from 'uuid'
import type { Attribute } from '#kernel/plugin'

const samples: Readonly<Record<Attribute['kind'], (n: number) => unknown>> = {
  string: (n) => `sample ${n}`,
  email: (n) => `sample-${n}@example.com`,
  url: (n) => `https://example.com/${n}`,
  uuid: () => v4(),
  slug: (n) => `sample-${n}`,
  ip: (n) => `203.0.113.${n}`,
  integer: (n) => n,
  decimal: (n) => n,
  boolean: () => false,
  dateTime: (n) => `2020-01-0${n}T00:00:00Z`,
  date: (n) => `2020-01-0${n}`,
  time: () => '12:00:00',
  map: () => ({}),
  obj: () => ({}),
  oneOf: () => ({}),
  arrayList: () => [],
  arrayHash: () => ({}),
}

/** Returns a value that is valid by the declaration, a different one for each number. */
export function sampleOf({ kind, options: { rules } }: Attribute, n: number): unknown {
  if (rules?.in) return rules.in[0]
  if (rules?.min !== undefined) return rules.min
  return samples[kind](n)
}

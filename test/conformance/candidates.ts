import { v4 } from 'uuid'
import type { Check } from './check-constraints.ts'
import { samplePattern } from './pattern-sample.ts'

/** Texts that satisfy usual checks, such as those of codes and addresses, and texts for the constants of the given checks. */
export function textCandidates(n: number, checks: readonly Check[]): string[] {
  const constants = checks.flatMap(({ condition }) => [...condition.matchAll(/'((?:[^']|'')*)'/g)])
  const texts = constants.map(([, text = '']) => text.replaceAll(`''`, `'`))
  return [
    `sample ${n}`,
    `sample-${n}`,
    `sample-${n}@example.com`,
    `https://example.com/${n}`,
    `sample-${n}.example.com`,
    `/sample/${n}`,
    `+4930123456${n}`,
    `203.0.113.${n}`,
    `2020-01-0${(n % 9) + 1}`,
    v4(),
    ...repeatedCharacters(n),
    ...texts.map((text) => samplePattern(text, n)),
    ...texts.map((text) => text.replaceAll('%', `${n}`).replaceAll('_', `${n % 10}`)),
    ...texts,
    'x'.repeat(100),
  ]
}

/** Returns texts of one capital letter, small letter or digit, for patterns of codes. */
export function repeatedCharacters(n: number): string[] {
  const letter = String.fromCharCode('a'.charCodeAt(0) + (n % 26))
  const lengths = Array.from({ length: 40 }, (_, index) => index + 1)
  return [letter.toUpperCase(), letter, `${n % 10}`].flatMap((text) => lengths.map((length) => text.repeat(length)))
}

/** Numbers of usual ranges, and numbers near the constants of the given checks. */
export function numberCandidates(n: number, checks: readonly Check[]): number[] {
  const constants = checks.flatMap(({ condition }) => [...condition.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?/g)])
  const near = constants.flatMap(([text]) => [n, 0, 1, -1, -n].map((distance) => Number(text) + distance))
  const multiples = constants.map(([text]) => Number(text) * n)
  return [n, 0, 1, 0.5, -1, ...near, ...multiples, 10, 100, 1000, -n]
}

/** Dates of the past and of the future. */
export function dateCandidates(n: number): string[] {
  return [2020, 2120, 2121, 1990, 1989].map((year) => `${year}-01-0${(n % 9) + 1}`)
}

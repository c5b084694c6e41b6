import type { RandomSource } from '#test/conformance/random.ts'

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

/** Values that few programs expect. */
export const unusualJson: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  ' ',
  'x',
  '\0',
  '\ud800',
  '__proto__',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '2026-02-30',
  'x'.repeat(3000),
  [],
  [[]],
  ['a', 'a'],
  [null],
  {},
  { '': {} },
  { data: null },
]

/** Replaces or removes the given number of members, anywhere in the document. */
export function corruptJson(
  document: Json,
  draw: RandomSource,
  times: number,
  odd: readonly Json[] = unusualJson,
): Json {
  const copy = structuredClone(document)
  for (let count = 0; count < times; count++) {
    const members = membersIn(copy)
    if (members.length === 0) return draw.pick(odd)
    const { parent, member } = draw.pick(members)
    if (draw.chance(30)) delete parent[member]
    else parent[member] = structuredClone(draw.pick(odd))
  }
  return copy
}

interface Member {
  readonly parent: Record<string, Json>
  readonly member: string
}

function membersIn(value: Json): Member[] {
  if (typeof value !== 'object' || value === null) return []
  const parent = value as Record<string, Json>
  return Object.keys(parent).flatMap((member) => [{ parent, member }, ...membersIn(parent[member] as Json)])
}

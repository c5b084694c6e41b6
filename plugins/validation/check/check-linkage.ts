import {
  countCurrentMembers,
  currentMembers,
  type Faults,
  isObject,
  isWritable,
  type LinkageInput,
  linkageModeOf,
  memberName,
  type NamedMember,
  namedMembers,
  type Operation,
  type Phrase,
  phrase,
  type Relation,
  type Row,
  validationFailed,
} from '#kernel/plugin'
import type { Member } from '../compile/compiled-attribute.ts'
import { checkMembers } from './check-attributes.ts'

/** One look at the linkage of a write. */
export interface LinkageLook {
  readonly operation: Operation
  readonly subject: object | null
  /** The pivot fields of each relation that has some. */
  readonly pivots: ReadonlyMap<Relation, readonly Member[]>
  readonly faults: Faults
}

/** Tells what a new resource lacks, where it would stand. */
export function checkRequired(
  linkage: readonly LinkageInput[],
  { operation, faults }: Pick<LinkageLook, 'operation' | 'faults'>,
): void {
  const sent = linkage.map(({ relation }) => relation)
  const pointer = sent.length > 0 ? '/data/relationships' : '/data'
  for (const relation of operation.target.type.relations) {
    if (!relation.options.rules?.required || sent.includes(relation) || !isWritable(relation, operation)) continue
    faults.push(
      validationFailed({ message: phrase("'{name}' is required.", { name: relation.name }) }, { source: { pointer } }),
    )
  }
}

/** Tells how many members a relation may have, and what is wrong with the values of their association rows. */
export async function checkLinkage(linkage: LinkageInput, look: LinkageLook): Promise<void> {
  const { operation, subject, pivots } = look
  const { relation } = linkage
  const mode = linkageModeOf(operation.kind)
  const members = mode === 'remove' ? undefined : pivots.get(relation)
  const isCounted = relation.options.rules !== undefined
  if (!isCounted && !members) return
  const named = namedMembers(linkage)
  const needsCurrent = subject !== null && (members !== undefined || mode !== 'replace')
  const current = needsCurrent ? await currentMembers(operation, relation, subject, named) : new Map<string, Row>()
  if (isCounted) {
    const isAdded = subject !== null && mode !== 'replace'
    const before = isAdded ? await countCurrentMembers(operation, relation, subject) : 0
    checkSize(linkage, resultingSize(named, current, before, mode), look)
  }
  for (const member of members ? named : []) {
    checkRow(member, members ?? [], current.get(memberName(member.type, member.key)) ?? null, look)
  }
}

/** Tells whether a to-one may be empty. */
export function checkOne({ relation: { name, options }, data, pointer }: LinkageInput, { faults }: LinkageLook): void {
  if (data !== null || !options.rules?.required) return
  faults.push(validationFailed({ message: phrase("'{name}' must not be null.", { name }) }, { source: { pointer } }))
}

function resultingSize(
  named: readonly NamedMember[],
  current: ReadonlyMap<string, Row>,
  before: number,
  mode: ReturnType<typeof linkageModeOf>,
): number {
  if (mode === 'replace') return named.length
  const known = named.filter(({ type, key }) => current.has(memberName(type, key))).length
  return mode === 'add' ? before + named.length - known : before - known
}

function checkSize({ relation, pointer }: LinkageInput, size: number, { faults }: LinkageLook): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = relation.options.rules ?? {}
  const tell = (message: Phrase) => faults.push(validationFailed({ message }, { source: { pointer } }))
  if (size < minItems)
    tell(phrase("'{name}' must have at least {limit} members.", { name: relation.name, limit: minItems }))
  if (size > maxItems)
    tell(phrase("'{name}' must have at most {limit} members.", { name: relation.name, limit: maxItems }))
}

/** A row that is there is validated as it will be; a new one as a new resource is. */
function checkRow(
  { pointer, identifier: { meta } }: NamedMember,
  members: readonly Member[],
  row: Row | null,
  { operation, faults }: LinkageLook,
): void {
  const place = `${pointer}/meta/pivot`
  const sent = meta?.pivot
  if (sent !== undefined && !isObject(sent)) {
    faults.push(validationFailed({ message: phrase("'pivot' must be an object.") }, { source: { pointer: place } }))
    return
  }
  checkMembers(members, {
    operation: { ...operation, kind: row ? 'Update' : 'Create' },
    moment: row ? 'onUpdate' : 'onCreate',
    place: sent ? place : meta ? `${pointer}/meta` : pointer,
    sent: sent ?? {},
    stored: row,
    faults,
  })
}

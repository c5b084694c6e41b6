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
  phrase,
  type Relation,
  type Row,
} from '#kernel/plugin'
import type { CompiledAttribute } from '../compile/compiled-attribute.ts'
import { checkAttributes } from './check-attributes.ts'
import type { DueRule } from './check-custom-rules.ts'
import { reportFault } from './validation-context.ts'

export interface LinkageContext {
  readonly operation: Operation
  readonly subject: object | null
  /** The pivot fields of each relation that has any. */
  readonly pivotFields: WeakMap<Relation, readonly CompiledAttribute[]>
  readonly faults: Faults
  readonly due: DueRule[]
}

/** Reports required relations that a create does not send. */
export function checkRequiredRelations(linkage: readonly LinkageInput[], context: LinkageContext): void {
  const { operation } = context
  const sent = linkage.map(({ relation }) => relation)
  const pointer = sent.length > 0 ? '/data/relationships' : '/data'
  for (const relation of operation.target.type.relations) {
    if (!relation.options.rules?.required || sent.includes(relation) || !isWritable(relation, operation)) continue
    reportFault(context, pointer, phrase("'{name}' is required.", { name: relation.name }))
  }
}

/** Reports null for a required to-one relation. */
export function checkToOne({ relation, data, pointer }: LinkageInput, context: LinkageContext): void {
  if (data !== null || !relation.options.rules?.required) return
  reportFault(context, pointer, phrase("'{name}' must not be null.", { name: relation.name }))
}

/** Reports a number of members out of bounds, and faults of the pivot values. */
export async function checkToMany(linkage: LinkageInput, context: LinkageContext): Promise<void> {
  const { operation, subject, pivotFields } = context
  const { relation } = linkage
  const mode = linkageModeOf(operation.kind)
  const fields = mode === 'remove' ? undefined : pivotFields.get(relation)
  const isCounted = relation.options.rules !== undefined
  if (!isCounted && !fields) return
  const named = namedMembers(linkage)
  const needsCurrent = subject !== null && (fields !== undefined || mode !== 'replace')
  const current = needsCurrent ? await currentMembers(operation, relation, subject, named) : new Map<string, Row>()
  if (isCounted) {
    const countsStored = subject !== null && mode !== 'replace'
    const before = countsStored ? await countCurrentMembers(operation, relation, subject) : 0
    checkMemberCount(linkage, resultingCount(named, current, before, mode), context)
  }
  for (const member of fields ? named : []) {
    checkPivotRow(member, fields ?? [], current.get(memberName(member.type, member.key)) ?? null, context)
  }
}

function resultingCount(
  named: readonly NamedMember[],
  current: ReadonlyMap<string, Row>,
  before: number,
  mode: ReturnType<typeof linkageModeOf>,
): number {
  if (mode === 'replace') return named.length
  const alreadyLinked = named.filter(({ type, key }) => current.has(memberName(type, key))).length
  return mode === 'add' ? before + named.length - alreadyLinked : before - alreadyLinked
}

function checkMemberCount({ relation, pointer }: LinkageInput, count: number, context: LinkageContext): void {
  const { name, options } = relation
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = options.rules ?? {}
  if (count < minItems)
    reportFault(context, pointer, phrase("'{name}' must have at least {limit} members.", { name, limit: minItems }))
  if (count > maxItems)
    reportFault(context, pointer, phrase("'{name}' must have at most {limit} members.", { name, limit: maxItems }))
}

/** Checks the pivot values of a stored row as an update, of a new row as a create. */
function checkPivotRow(
  { pointer, identifier: { meta } }: NamedMember,
  fields: readonly CompiledAttribute[],
  row: Row | null,
  context: LinkageContext,
): void {
  const { operation, faults, due } = context
  const pivotPointer = `${pointer}/meta/pivot`
  const sent = meta?.pivot
  if (sent !== undefined && !isObject(sent)) {
    reportFault(context, pivotPointer, phrase("'pivot' must be an object."))
    return
  }
  checkAttributes(fields, {
    operation: { ...operation, kind: row ? 'Update' : 'Create' },
    timing: row ? 'onUpdate' : 'onCreate',
    basePointer: sent ? pivotPointer : meta ? `${pointer}/meta` : pointer,
    sent: sent ?? {},
    stored: row,
    row: null,
    faults,
    due,
  })
}

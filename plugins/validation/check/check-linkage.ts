import { type Faults, phrase } from '#kernel/errors'
import {
  isWritable,
  type LinkageMode,
  linkageModeOf,
  memberName,
  type NamedMember,
  namedMembers,
} from '#kernel/operations'
import {
  type Attribute,
  type Awaitable,
  isObject,
  type LinkageInput,
  type Operation,
  type Relation,
  type Row,
} from '#kernel/plugin'
import {
  compileAttributes,
  hasOtherRulesOnCreate,
  type ObjectChecks,
  onCreate,
  onUpdate,
} from '../compile/compile-attributes.ts'
import { checkAttributes } from './check-attributes.ts'
import type { DueRule } from './check-custom-rules.ts'
import { countCurrentMembers, currentMembers } from './current-members.ts'
import { reportFault } from './validation-context.ts'

/** The checks of the members of a to-many relation. */
export interface CompiledRelation {
  readonly relation: Relation
  readonly isCounted: boolean
  /** Null if association rows have no attributes that a client sends. */
  readonly pivot: ObjectChecks | null
  /** Whether the checks of a pivot row depend on whether it is stored. */
  readonly pivotReadsRow: boolean
}

export interface LinkageContext {
  readonly operation: Operation
  readonly subject: object | null
  readonly faults: Faults
  readonly due: DueRule[]
}

/** Returns null if nothing is checked. */
export function compileRelation(relation: Relation): CompiledRelation | null {
  const { pivotFields, pivotShape, options, toMany } = relation
  if (!toMany || (options.rules === undefined && pivotFields.length === 0)) return null
  const stored = compileAttributes(pivotFields, () => pivotShape, onUpdate)
  const added = compileAttributes(pivotFields, () => pivotShape, onCreate)
  return {
    relation,
    isCounted: options.rules !== undefined,
    pivot: pivotFields.length > 0 ? { stored, added } : null,
    pivotReadsRow: stored.readsRow || pivotFields.some(differsOnCreate),
  }
}

function differsOnCreate(field: Attribute): boolean {
  return field.readOnlyOnCreate !== field.readOnlyOnUpdate || hasOtherRulesOnCreate(field)
}

/** Whether the members before a write decide on it. */
export function readsMembers({ isCounted, pivot, pivotReadsRow }: CompiledRelation, mode: LinkageMode): boolean {
  return mode === 'replace' ? pivotReadsRow : isCounted || (mode === 'add' && pivot !== null && pivotReadsRow)
}

/** Reports required relations that a create does not send. */
export function checkRequiredRelations(
  required: readonly Relation[],
  linkage: readonly LinkageInput[],
  context: LinkageContext,
): void {
  for (const relation of required) {
    let isSent = false
    for (const one of linkage) isSent ||= one.relation === relation
    if (isSent || !isWritable(relation, context.operation)) continue
    const pointer = linkage.length > 0 ? '/data/relationships' : '/data'
    reportFault(context, pointer, phrase("'{name}' is required.", { name: relation.name }))
  }
}

/** Reports a number of members out of bounds, and faults of the pivot values. Reads the members if they decide on it. */
export function checkToMany(
  linkage: LinkageInput,
  compiled: CompiledRelation,
  context: LinkageContext,
): Awaitable<void> {
  const { operation, subject } = context
  const mode = linkageModeOf(operation.kind)
  const named = namedMembers(linkage)
  const check = (current: ReadonlyMap<string, Row>, before: number) => {
    if (compiled.isCounted) checkMemberCount(linkage, resultingCount(named, current, before, mode), context)
    if (compiled.pivot && mode !== 'remove') checkPivotRows(named, compiled.pivot, current, context)
  }
  if (subject === null || !readsMembers(compiled, mode)) check(new Map(), 0)
  else return checkStored(named, compiled, subject, operation, check)
}

async function checkStored(
  named: readonly NamedMember[],
  { relation, isCounted }: CompiledRelation,
  subject: object,
  operation: Operation,
  check: (current: ReadonlyMap<string, Row>, before: number) => void,
): Promise<void> {
  const current = await currentMembers(operation, relation, subject, named)
  const countsStored = isCounted && linkageModeOf(operation.kind) !== 'replace'
  check(current, countsStored ? await countCurrentMembers(operation, relation, subject) : 0)
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

/** Checks the pivot values of stored rows as updates, of new rows as creates. */
function checkPivotRows(
  named: readonly NamedMember[],
  { stored, added }: ObjectChecks,
  current: ReadonlyMap<string, Row>,
  { operation, faults, due }: LinkageContext,
): void {
  for (const { type, key, pointer, identifier } of named) {
    const { meta } = identifier
    const pivotPointer = `${pointer}/meta/pivot`
    const sent = meta?.pivot
    if (sent !== undefined && !isObject(sent)) {
      reportFault({ faults }, pivotPointer, phrase("'pivot' must be an object."))
      continue
    }
    const row = current.get(memberName(type, key)) ?? null
    checkAttributes(row ? stored : added, {
      operation,
      basePointer: sent ? pivotPointer : meta ? `${pointer}/meta` : pointer,
      sent: sent ?? {},
      stored: row,
      row: null,
      around: [],
      faults,
      due,
    })
  }
}

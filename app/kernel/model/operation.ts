import type { Context, Origin } from './context.ts'
import type { Relation } from './field.ts'
import type { RequestLimits } from './limits.ts'
import type { Query } from './query.ts'
import type { ApiResponse } from './response.ts'
import type { Target } from './target.ts'

export type OperationKind =
  | 'FetchCollection'
  | 'FetchOne'
  | 'FetchRelated'
  | 'FetchRelationship'
  | 'Create'
  | 'Update'
  | 'Delete'
  | 'UpdateRelationship'
  | 'AddToRelationship'
  | 'RemoveFromRelationship'

/** One thing to do, described; not yet running. */
export interface OperationDraft {
  readonly kind: OperationKind
  readonly target: Target
  readonly origin: Origin
  readonly query: Query
  /** The resource or linkage of a write. */
  readonly input?: Input
  /** Where it stands in the request, when there are several. */
  readonly place?: string
  /** Results of the author's functions that make stored values: each runs once, whatever way the row is written. */
  computed?: Map<object, unknown> | undefined
}

/** One thing to do, inside its unit. */
export interface Operation extends OperationDraft {
  readonly context: Context
}

/** Answers operations, inside their unit. */
export type Handler = (operation: Operation) => Promise<ApiResponse>

export interface Identifier {
  readonly type: string
  readonly id?: string
  readonly lid?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface LinkageInput {
  readonly relation: Relation
  /** A list when the relation is to-many. */
  readonly data: Identifier | readonly Identifier[] | null
  /** Where `data` stands in the request. */
  readonly pointer: string
}

/** The body of a write, structurally sound. */
export interface Input {
  /** The wire id the client gave to a new resource. */
  readonly id?: string
  readonly lid?: string
  /** Null when the member was not sent. */
  readonly attributes: Readonly<Record<string, unknown>> | null
  readonly linkage: readonly LinkageInput[]
}

/** What each operation at a relationship's own URL does with the members it names. */
const modes: Readonly<Partial<Record<OperationKind, LinkageMode>>> = {
  UpdateRelationship: 'replace',
  AddToRelationship: 'add',
  RemoveFromRelationship: 'remove',
}
const reads: ReadonlySet<OperationKind> = new Set<OperationKind>([
  'FetchCollection',
  'FetchOne',
  'FetchRelated',
  'FetchRelationship',
])

export type LinkageMode = 'replace' | 'add' | 'remove'

/** Linkage inside a resource replaces what is there. */
export function linkageModeOf(kind: OperationKind): LinkageMode {
  return modes[kind] ?? 'replace'
}

/** Whether it changes a relationship at its own URL. */
export function isRelationshipWrite(kind: OperationKind): boolean {
  return kind in modes
}

export function isWrite(kind: OperationKind): boolean {
  return !reads.has(kind)
}

/** A row of another resource that an operation changes, as an operation of its own. */
export interface MemberWrite {
  readonly operation: Operation
  readonly entity: object
  /** Relations of the row that change with it. */
  readonly relations: readonly Relation[]
}

export interface InputOptions {
  readonly update: boolean
  /** Inside a batch identifiers may be local, and an update may leave its id to its target. */
  readonly batch: boolean
  readonly limits: RequestLimits
}

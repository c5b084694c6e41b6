import { LruMap } from '../lib/lru-map.ts'
import type { Queries } from '../model/app.ts'
import type { Attribute, Relation } from '../model/field.ts'
import type { Query } from '../model/query.ts'
import type { ApiRequest, QueryContext } from '../model/request.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { Target } from '../model/target.ts'
import type { Visibility } from '../model/visibility.ts'
import { planOf } from './query-plan.ts'

/** A query that is the same for every request with the same text and the same answers of `hiddenFor`. */
interface KeptQuery {
  readonly query: Query
  /** The fields that were asked for while the query was read, with the answers. */
  readonly guards: ReadonlyMap<Attribute | Relation, boolean>
}

/** Bounds of the memory that clients can fill. */
const defaultMax = 1_000
const maxLength = 500
/** Requesters with different answers that share a query string. */
const maxVariants = 8

/**
 * The queries of an application that clients send again and again, by their text. A text is kept when it is seen for the second
 * time. Faulty queries, and queries that a function of the application has read the request for, are never kept.
 */
export class QueryCache implements Queries {
  readonly #queries = new LruMap<string, readonly KeptQuery[]>()
  readonly #seen = new LruMap<string, true>()
  readonly #max: number

  /** `max`: the number of texts that are kept; with 0, every query is read and planned for its request only. */
  constructor(max = defaultMax) {
    this.#max = max
  }

  get size(): number {
    return this.#queries.size
  }

  /** Returns the query of a text, or reads and keeps it. */
  getOrRead(context: QueryContext, search: string, read: (context: QueryContext) => Query): Query {
    const key = keyOf(context, search)
    if (this.#max === 0 || key.length > maxLength) return read(context)
    const kept = this.#queries.get(key)
    if (kept) {
      for (const { query, guards } of kept) {
        if (guards.size === 0 || haveSameAnswers(guards, context.visibility)) {
          return { ...query, visibility: context.visibility }
        }
      }
    }
    const reading = new Reading(context)
    const query = read(reading)
    if (reading.isPersonal || !this.#isAdmitted(key)) return query
    const { app, kind, target, server } = context
    planOf(app, { kind, target, query, origin: { server } })
    const added = { query: freeze({ ...query, visibility: null }), guards: reading.guards }
    this.#queries.set(key, [added, ...(kept ?? [])].slice(0, maxVariants), this.#max)
    return { ...query, visibility: context.visibility }
  }

  #isAdmitted(key: string): boolean {
    if (this.#seen.get(key)) return true
    this.#seen.set(key, true, this.#max)
    return false
  }
}

/** Everything that reading a query depends on, except the answers of `hiddenFor`. */
function keyOf({ server, kind, target, profiles, strict }: QueryContext, search: string): string {
  const { type, relation, action } = target
  const place = `${server.name} ${kind} ${type.name} ${relation?.name ?? action?.name ?? ''} ${target.kind}`
  const negotiated = profiles === null ? 'program' : profiles.size > 0 ? [...profiles].sort().join() : ''
  return `${place} ${strict} ${negotiated}?${search}`
}

function haveSameAnswers(guards: KeptQuery['guards'], visibility: Visibility | null): boolean {
  for (const [field, isHidden] of guards) if ((visibility?.hides(field) ?? false) !== isHidden) return false
  return true
}

/** Records what a query is read from besides its text. */
class Reading implements QueryContext {
  readonly app
  readonly server
  readonly kind
  readonly target: Target
  readonly profiles
  readonly strict
  readonly limits
  readonly guards = new Map<Attribute | Relation, boolean>()
  /** Whether a function of the application may have read the request. */
  isPersonal = false
  readonly visibility: Visibility | null
  readonly #context: QueryContext

  constructor(context: QueryContext) {
    this.app = context.app
    this.server = context.server
    this.kind = context.kind
    this.target = withoutId(context.target)
    this.profiles = context.profiles
    this.strict = context.strict
    this.limits = context.limits
    this.visibility = context.visibility && new RecordedVisibility(context.visibility, this.guards)
    this.#context = context
  }

  get request(): ApiRequest | null {
    this.isPersonal = true
    return this.#context.request
  }
}

/** The id of a row is no part of the key of a query. */
function withoutId({ id: _, ...target }: Target): Target {
  return target
}

class RecordedVisibility implements Visibility {
  readonly #visibility: Visibility
  readonly #guards: Map<Attribute | Relation, boolean>

  constructor(visibility: Visibility, guards: Map<Attribute | Relation, boolean>) {
    this.#visibility = visibility
    this.#guards = guards
  }

  hides(field: Attribute | Relation): boolean {
    const isHidden = this.#visibility.hides(field)
    if (field.hiddenFor !== null) this.#guards.set(field, isHidden)
    return isHidden
  }

  hiddenIn(type: ResourceType): readonly string[] {
    return type.hiddenForSome.filter((field) => this.hides(field)).map(({ name }) => name)
  }
}

/** Requests share the parts of a query: none may change them. */
function freeze(query: Query): Query {
  for (const part of [query.where, query.sort, query.window, query.window?.keyset, query.include, query.profiles])
    Object.freeze(part)
  return Object.freeze(query)
}

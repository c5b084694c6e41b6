import type { App, Endpoint, OperationEndpoint, PlannedQuery, Plans } from '../contract/app.ts'
import type { ApiRequest, QueryContext } from '../contract/request.ts'
import type { Plan } from '../contract/stages.ts'
import type { Target } from '../contract/target.ts'
import type { Query } from '../data/query.ts'
import { LruMap } from '../lib/lru-map.ts'
import type { Attribute, Relation, Visibility } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createPlan } from './create-plan.ts'
import { createQueryPlan, listTargets } from './create-query-plan.ts'
import { shapeOfQuery } from './query-shape.ts'

/** Bounds of the memory that clients can fill: plans, texts of queries, and texts that were sent once. */
export const maxPlans = 1_000
const maxLength = 500
const maxShapeLength = 2_000
/** The most variants of one query string, by the results of `hiddenFor`. */
const maxVariants = 8

/** A query that is the same for every request with the same text and the same answers of `hiddenFor`. */
interface KeptQuery extends PlannedQuery {
  /** The fields whose visibility was checked while the query was read, with the results. */
  readonly guards: ReadonlyMap<Attribute | Relation, boolean>
}

/**
 * The plans of an application. A plan is found by the endpoint and the shape of the query; a query that clients send again
 * and again is found with its plan by its text. A text is kept when it is sent for the second time. Faulty queries, and queries that
 * a function of the application has read the request for, are never kept by text.
 */
export class PlanCache implements Plans {
  readonly #max: number
  readonly #endpoints = new Map<string, Plan>()
  readonly #plans = new LruMap<string, Plan>()
  readonly #queries = new LruMap<string, readonly KeptQuery[]>()
  readonly #sent = new LruMap<string, true>()

  /** With 0, every request reads its query and makes its plan. */
  constructor(max = maxPlans) {
    this.#max = max
  }

  get sizes(): Plans['sizes'] {
    return { plans: this.#plans.size, queries: this.#queries.size, sent: this.#sent.size }
  }

  ofEndpoint(app: App, endpoint: Endpoint): Plan {
    const key = buildEndpointKey(endpoint)
    const existing = this.#endpoints.get(key)
    if (existing) return existing
    const created = createPlan(app, { ...endpoint, key }, null, null)
    this.#endpoints.set(key, created)
    return created
  }

  ofQuery(app: App, endpoint: OperationEndpoint, query: Query): Plan {
    const types = shownTypes(endpoint.target.type, query)
    const key = buildEndpointKey(endpoint)
    const shape = `${key}?${shapeOfQuery(query)}${hiddenFields(types, query)}`
    const existing = this.#plans.get(shape)
    if (existing) return existing
    const created = createPlan(app, { ...endpoint, key }, query, createQueryPlan(app, endpoint, query, types))
    if (this.#max > 0 && shape.length <= maxShapeLength) this.#plans.set(shape, created, this.#max)
    return created
  }

  read(
    context: QueryContext,
    search: string,
    readQuery: (context: QueryContext) => Query,
    endpoint = buildEndpointKey(context),
  ): PlannedQuery {
    const { app, visibility, profiles, strict } = context
    const key =
      search.length > maxLength ? null : `${endpoint} ${profiles === null ? 'program' : ''} ${strict}?${search}`
    const kept = key === null ? undefined : this.#queries.get(key)
    if (kept) {
      for (const { query, plan, guards } of kept) {
        if (guards.size === 0 || haveSameAnswers(guards, visibility)) return { query: { ...query, visibility }, plan }
      }
    }
    const reading = new Reading(context)
    const query = readQuery(reading)
    const plan = this.ofQuery(app, reading, query)
    query.plan = plan.query
    if (key !== null && !reading.isPersonal && this.#isAdmitted(key)) {
      const added = { query: freeze({ ...query, visibility: null }), plan, guards: reading.guards }
      this.#queries.set(key, [added, ...(kept ?? [])].slice(0, maxVariants), this.#max)
    }
    query.visibility = visibility
    return { query, plan }
  }

  #isAdmitted(key: string): boolean {
    if (this.#max === 0) return false
    if (this.#sent.get(key)) return true
    this.#sent.set(key, true, this.#max)
    return false
  }
}

/** The endpoint, as a part of a cache key. */
function buildEndpointKey({ server, kind, target, profiles }: Endpoint): string {
  const { type, relation, action, kind: shape } = target ?? {}
  const negotiated = profiles && profiles.size > 0 ? [...profiles].sort().join() : ''
  return `${server.name} ${kind} ${type?.name} ${relation?.name ?? action?.name ?? ''} ${shape} ${negotiated}`
}

/** The types whose resources a query shows, as far as they are known before rows are read. */
function shownTypes(type: ResourceType, { types, include }: Query): readonly ResourceType[] {
  return [...new Set([type, ...types, ...listTargets(include)])]
}

/** The fields of the types that `hiddenFor` hides from the requester, as a part of a key. */
function hiddenFields(types: readonly ResourceType[], { visibility }: Query): string {
  let names = ''
  for (const type of types) {
    if (!visibility || type.hiddenForSome.length === 0) continue
    const hidden = visibility.hiddenIn(type)
    if (hidden.length > 0) names += `&hidden ${type.name}=${hidden.join()}`
  }
  return names
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
    const { id: _, ...target } = context.target
    this.app = context.app
    this.server = context.server
    this.kind = context.kind
    this.target = target
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

/** Freezes a kept query, because several requests share it. */
function freeze(query: Query): Query {
  for (const part of [query.where, query.sort, query.window, query.window?.keyset, query.include, query.profiles])
    Object.freeze(part)
  return Object.freeze(query)
}

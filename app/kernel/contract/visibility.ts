import type Koa from 'koa'
import type { Requester } from '../data/context.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { type Attribute, listChildren, type Relation, type Row, type Visibility } from '../schema/field.ts'
import { isConditional, isNeverShown } from '../schema/field-visibility.ts'
import { type Caller, HttpCaller } from '../schema/principal.ts'
import type { Registry, ResourceType } from '../schema/resource-type.ts'
import { applies } from '../schema/restrictions.ts'
import type { App } from './app.ts'
import type { ApiRequest } from './request.ts'

// Which fields a response shows: `hidden` and `writeOnly` decide for all requesters or by row, `hiddenFor` by requester.

/** Calls each function at most once per request. */
class CallerVisibility implements Visibility {
  readonly app: Pick<App, 'logger'>
  readonly #caller: Caller
  readonly #decisions = new Map<Attribute | Relation, boolean>()
  readonly #hiddenNames = new Map<ResourceType, readonly string[]>()

  constructor(caller: Caller, app: Pick<App, 'logger'>) {
    this.app = app
    this.#caller = caller
  }

  hides(field: Attribute | Relation): boolean {
    const { hiddenFor } = field
    return hiddenFor !== null && getOrCreate(this.#decisions, field, () => applies(hiddenFor, [this.#caller], this))
  }

  hiddenIn(type: ResourceType): readonly string[] {
    if (type.hiddenForSome.length === 0) return none
    return getOrCreate(this.#hiddenNames, type, () =>
      type.hiddenForSome.filter((field) => this.hides(field)).map(({ name }) => name),
    )
  }
}

const none: readonly string[] = []
const visibilities = new WeakMap<Koa.Context, Visibility>()

/** The visibility that all operations of a request share. It hides nothing if no resource declares `hiddenFor`. */
export function visibilityOfRequest({ ctx, server, app }: Pick<ApiRequest, 'ctx' | 'server' | 'app'>): Visibility {
  return getOrCreate(visibilities, ctx, () => new CallerVisibility(new HttpCaller(ctx, server.name), app))
}

/** The visibility of an operation. Null if nothing is hidden: no resource declares `hiddenFor`, or the requester is trusted. */
export function visibilityFor(app: App, { request, principal, trusted, server }: Requester): Visibility | null {
  if (trusted || !app.registry.hidesFields) return null
  if (request) return visibilityOfRequest(request)
  return new CallerVisibility({ principal, serverName: server.name, method: null, header: () => undefined }, app)
}

/** Whether a resource declares `hiddenFor`. */
export function usesHiddenFor({ types }: Registry): boolean {
  return [...types.values()].some(
    ({ attributes, relations }) =>
      [...attributes, ...relations.flatMap(({ pivotFields }) => pivotFields)].some(declaresHiddenFor) ||
      relations.some(({ hiddenFor }) => hiddenFor !== null),
  )
}

function declaresHiddenFor(attribute: Attribute): boolean {
  return attribute.hiddenFor !== null || listChildren(attribute).some(declaresHiddenFor)
}

/** Whether a field of a record is hidden in the response to a request. */
type IsHidden = (record: Row, request: ApiRequest) => boolean

const hiddenTests = new WeakMap<Attribute | Relation, IsHidden>()

export function findHiddenTest(field: Attribute | Relation): IsHidden {
  return getOrCreate(hiddenTests, field, createHiddenTest)
}

function createHiddenTest(field: Attribute | Relation): IsHidden {
  if (isNeverShown(field)) return () => true
  if (!isConditional(field)) return () => false
  const { hidden, hiddenFor } = field
  const writeOnly = field.role === 'attribute' ? field.writeOnly : false
  return (record, request) =>
    (hiddenFor !== null && visibilityOfRequest(request).hides(field)) ||
    applies(hidden, [record, request], request) ||
    applies(writeOnly, [request], request)
}

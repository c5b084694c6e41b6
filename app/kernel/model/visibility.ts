import type Koa from 'koa'
import { getOrCreate } from '../lib/get-or-create.ts'
import type { App } from './app.ts'
import type { Origin } from './context.ts'
import { type Attribute, childrenOf, type Relation } from './field.ts'
import type { Logger } from './logger.ts'
import { type Caller, callerOf } from './principal.ts'
import type { ApiRequest } from './request.ts'
import type { Registry, ResourceType } from './resource-type.ts'
import { reportOnce } from './restrictions.ts'

/** Which fields `hiddenFor` hides from one requester. Each function is called at most once per request. */
export class Visibility {
  readonly #caller: Caller
  readonly #logger: Logger | null
  readonly #decisions = new Map<Attribute | Relation, boolean>()
  readonly #ofTypes = new Map<ResourceType, readonly string[]>()

  constructor(caller: Caller, logger: Logger | null) {
    this.#caller = caller
    this.#logger = logger
  }

  /** Only `false` shows the field: any other result and a thrown error hide it. */
  hides(field: Attribute | Relation): boolean {
    const { hiddenFor } = field
    return hiddenFor !== null && getOrCreate(this.#decisions, field, () => this.#decide(hiddenFor))
  }

  /** The names of the fields of a type that are hidden from the requester. */
  hiddenIn(type: ResourceType): readonly string[] {
    if (type.hiddenForSome.length === 0) return none
    return getOrCreate(this.#ofTypes, type, () =>
      type.hiddenForSome.filter((field) => this.hides(field)).map(({ name }) => name),
    )
  }

  #decide(hiddenFor: NonNullable<Attribute['hiddenFor']>): boolean {
    try {
      return hiddenFor(this.#caller) !== false
    } catch (error) {
      reportOnce(hiddenFor, error, this, this.#logger)
      return true
    }
  }
}

const none: readonly string[] = []
const ofRequests = new WeakMap<Koa.Context, Visibility>()

/** The visibility that all operations of a request share. */
export function visibilityOf({ ctx, server, app }: Pick<ApiRequest, 'ctx' | 'server' | 'app'>): Visibility {
  return getOrCreate(ofRequests, ctx, () => new Visibility(callerOf(ctx, server.name), app.logger))
}

/** Null if nothing is hidden: no resource declares `hiddenFor`, or the caller is trusted. */
export function visibilityFor(app: App, { request, principal, trusted, server }: Origin): Visibility | null {
  if (trusted || !getOrCreate(conditional, app.registry, declaresHiddenFor)) return null
  if (request) return visibilityOf(request)
  return new Visibility({ principal, serverName: server.name, method: null, header: () => undefined }, app.logger)
}

const conditional = new WeakMap<Registry, boolean>()

function declaresHiddenFor({ types }: Registry): boolean {
  return [...types.values()].some(
    ({ attributes, relations }) =>
      [...attributes, ...relations.flatMap(({ pivotFields }) => pivotFields)].some(isConditional) ||
      relations.some(({ hiddenFor }) => hiddenFor !== null),
  )
}

function isConditional(attribute: Attribute): boolean {
  return attribute.hiddenFor !== null || childrenOf(attribute).some(isConditional)
}

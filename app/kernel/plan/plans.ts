import type { App, Plans } from '../model/app.ts'
import type { OperationDraft, Plan, PlanDraft, Stages } from '../model/operation.ts'

/** The plans of an application, each made when its endpoint is first requested. Clients cannot request more than there are. */
export class EndpointPlans implements Plans {
  readonly #plans = new Map<string, Plan>()

  of(app: App, { server, kind, target, profiles }: Parameters<Plans['of']>[1]): Plan {
    const { type, relation, action } = target ?? {}
    const negotiated = profiles.size > 0 ? [...profiles].join() : ''
    const key = `${server.name} ${kind} ${type?.name} ${relation?.name ?? action?.name ?? ''} ${negotiated}`
    const existing = this.#plans.get(key)
    if (existing) return existing
    const created = createPlan({
      app,
      server,
      kind,
      type: type ?? null,
      relation: relation ?? null,
      action: action ?? null,
      profiles,
    })
    this.#plans.set(key, created)
    return created
  }
}

type Endpoint = Omit<PlanDraft, keyof Plan>

function createPlan(endpoint: Endpoint): Plan {
  const steps = noSteps()
  for (const plugin of endpoint.app.plugins) plugin.plan?.({ ...endpoint, ...steps })
  for (const list of Object.values(steps)) Object.freeze(list)
  return Object.freeze(steps)
}

function noSteps(): { readonly [Stage in keyof Stages]: Stages[Stage][] } {
  return { begin: [], authorize: [], check: [], afterRead: [], meta: [], document: [], respond: [] }
}

/** The names of the plugins that add steps to each stage of an endpoint, in call order. */
export function pluginsOfStages(endpoint: Endpoint): Readonly<Record<keyof Stages, readonly string[]>> {
  const stages = noSteps()
  const names = Object.fromEntries(Object.keys(stages).map((stage) => [stage, [] as string[]]))
  for (const plugin of endpoint.app.plugins) {
    const steps = noSteps()
    plugin.plan?.({ ...endpoint, ...steps })
    for (const [stage, added] of Object.entries(steps)) names[stage]?.push(...added.map(() => plugin.name))
  }
  return names as Record<keyof Stages, string[]>
}

const noProfiles: ReadonlySet<string> = new Set()

/** The plan of an operation that the target of its request does not select: of a batch, a program or another row. */
export function planOfOperation(app: App, { kind, target, origin }: Omit<OperationDraft, 'plan' | 'query'>): Plan {
  const { server, request } = origin
  return app.plans.of(app, { server, kind, target, profiles: request?.media.profiles ?? noProfiles })
}

/** A `plan` that adds steps to the plans of all endpoints. */
export function addSteps(steps: Partial<Stages>): (draft: PlanDraft) => void {
  return (draft) => {
    const { begin, authorize, check, afterRead, meta, document, respond } = steps
    if (begin) draft.begin.push(begin)
    if (authorize) draft.authorize.push(authorize)
    if (check) draft.check.push(check)
    if (afterRead) draft.afterRead.push(afterRead)
    if (meta) draft.meta.push(meta)
    if (document) draft.document.push(document)
    if (respond) draft.respond.push(respond)
  }
}

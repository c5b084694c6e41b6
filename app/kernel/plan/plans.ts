import type { App, Endpoint } from '../model/app.ts'
import {
  isWrite,
  type OperationDraft,
  type Plan,
  type PlanDraft,
  type PlanFacts,
  type Stages,
} from '../model/operation.ts'
import type { Query } from '../model/query.ts'
import type { QueryPlan } from '../model/query-plan.ts'

/** Asks every plugin for the steps of an endpoint; profiles of the server follow in the stage `document`. Without a query, the plan has no operation, or its query is not read yet. */
export function createPlan(
  app: App,
  endpoint: Endpoint & { readonly key: string },
  query: Query | null,
  queryPlan: QueryPlan | null,
): Plan {
  const steps = noSteps()
  const draft = toDraft(app, endpoint, query)
  for (const plugin of app.plugins) plugin.plan?.({ ...draft, ...steps })
  for (const profile of draft.server.ownProfiles) {
    if (!draft.profiles.has(profile.uri)) continue
    steps.document.push((request, document, response) => profile.apply?.(document, request, response))
  }
  for (const list of Object.values(steps)) Object.freeze(list)
  const { key, kind } = endpoint
  return Object.freeze({ ...steps, key, kind, writes: kind !== null && isWrite(kind), query: queryPlan })
}

function toDraft(app: App, { server, kind, target, profiles }: Endpoint, query: Query | null): PlanFacts {
  return {
    app,
    server,
    kind,
    type: target?.type ?? null,
    relation: target?.relation ?? null,
    action: target?.action ?? null,
    profiles: profiles ?? noProfiles,
    query,
  }
}

const noProfiles: ReadonlySet<string> = new Set()

function noSteps(): { readonly [Stage in keyof Stages]: Stages[Stage][] } {
  return { begin: [], authorize: [], check: [], afterRead: [], meta: [], document: [], respond: [] }
}

/** The names of the plugins that add steps to each stage of an endpoint, in call order. */
export function pluginsOfStages(
  app: App,
  endpoint: Endpoint,
  query: Query | null,
): Readonly<Record<keyof Stages, readonly string[]>> {
  const stages = noSteps()
  const names = Object.fromEntries(Object.keys(stages).map((stage) => [stage, [] as string[]]))
  const draft = toDraft(app, endpoint, query)
  for (const plugin of app.plugins) {
    const steps = noSteps()
    plugin.plan?.({ ...draft, ...steps })
    for (const [stage, added] of Object.entries(steps)) names[stage]?.push(...added.map(() => plugin.name))
  }
  return names as Record<keyof Stages, string[]>
}

/** The plan of an operation that the target of its request does not select: of a batch, a program or another row. */
export function planOfOperation(
  app: App,
  { kind, target, origin }: Pick<OperationDraft, 'kind' | 'target' | 'origin'>,
  query: Query,
): Plan {
  const { server, request } = origin
  const plan = app.plans.ofQuery(app, { server, kind, target, profiles: request?.media.profiles ?? null }, query)
  query.plan = plan.query
  return plan
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

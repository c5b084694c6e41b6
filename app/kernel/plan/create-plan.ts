import type { App, Endpoint } from '../contract/app.ts'
import { isWrite, type PlannedOperation } from '../contract/operation.ts'
import type { Plan, PlanBuilder, PlanFacts, Stages } from '../contract/stages.ts'
import type { Query } from '../data/query.ts'
import type { QueryPlan } from '../data/query-plan.ts'
import { collectSteps } from './collect-steps.ts'
import { createWritePlan } from './write-plan.ts'

/**
 * Collects the steps of every plugin for an endpoint; profiles of the server follow in the stage `document`. Without a query, the plan
 * has no operation, or its query is not read yet.
 */
export function createPlan(
  app: App,
  endpoint: Endpoint & { readonly key: string },
  query: Query | null,
  queryPlan: QueryPlan | null,
): Plan {
  const facts = toFacts(app, endpoint, query)
  const { steps, plugins } = collectSteps(app.plugins, noSteps, (plugin, added) =>
    plugin.plan?.({ ...facts, ...added }),
  )
  const { key, kind } = endpoint
  return Object.freeze({
    ...steps,
    check: Object.freeze(steps.check.map(toFunction)),
    beforeSave: Object.freeze(steps.beforeSave.map(toFunction)),
    document: Object.freeze([...steps.document, ...stepsOfProfiles(facts)]),
    plugins,
    write: createWritePlan(app, endpoint, query, queryPlan?.types ?? new Map(), steps),
    key,
    kind,
    writes: kind !== null && isWrite(kind),
    query: queryPlan,
  })
}

function toFunction<Check>(step: Check | { readonly check: Check }): Check {
  return typeof step === 'function' ? step : (step as { readonly check: Check }).check
}

function stepsOfProfiles({ server, profiles }: PlanFacts): Stages['document'][] {
  return server.ownProfiles
    .filter(({ uri }) => profiles.has(uri))
    .map((profile) => (request, document, response) => profile.apply?.(document, request, response))
}

function toFacts(app: App, { server, kind, target, profiles }: Endpoint, query: Query | null): PlanFacts {
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
  return {
    begin: [],
    authorize: [],
    transaction: [],
    precondition: [],
    check: [],
    validate: [],
    beforeSave: [],
    afterSave: [],
    afterOperation: [],
    afterCommit: [],
    meta: [],
    document: [],
    respond: [],
    beforeSend: [],
  }
}

/** The plan of an operation that the target of its request does not select: of a batch, a program or another row. */
export function planOperation(
  app: App,
  { kind, target, requester }: Pick<PlannedOperation, 'kind' | 'target' | 'requester'>,
  query: Query,
): Plan {
  const { server, request } = requester
  const plan = app.plans.ofQuery(app, { server, kind, target, profiles: request?.media.profiles ?? null }, query)
  query.plan = plan.query
  return plan
}

/** A `plan` that adds steps to the plans of all endpoints. */
export function addSteps(steps: Partial<Stages>): (builder: PlanBuilder) => void {
  return (builder) => {
    for (const [stage, step] of Object.entries(steps)) (builder[stage as keyof Stages] as unknown[]).push(step)
  }
}

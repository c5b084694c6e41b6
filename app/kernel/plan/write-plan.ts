import type { App, Endpoint, OperationEndpoint } from '../contract/app.ts'
import { isRelationshipWrite, isWrite, type OperationKind } from '../contract/operation.ts'
import type { PlanBuilder } from '../contract/stages.ts'
import type { WritePlan } from '../data/persister.ts'
import type { Query } from '../data/query.ts'
import type { QueryPlan, TypePlan } from '../data/query-plan.ts'
import { type Attribute, isEmptyAfterCreate, listChildren, type Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { isSingle as isReadByOne } from './create-query-plan.ts'

type Steps = Pick<PlanBuilder, 'check' | 'validate' | 'beforeSave' | 'afterSave' | 'afterOperation'>

const noWrite: WritePlan = Object.freeze({
  needsRow: false,
  entityStage: null,
  isSingle: false,
  restrictsFields: true,
})

/** Decides how the operation of an endpoint writes, as far as its input and its requester do not matter. */
export function createWritePlan(
  app: App,
  endpoint: Endpoint,
  query: Query | null,
  plans: QueryPlan['types'],
  steps: Steps,
): WritePlan {
  const { kind, target } = endpoint
  if (!query || !target || kind === null || !isWrite(kind)) return noWrite
  return Object.freeze({
    needsRow: needsRow(kind, target.type, steps),
    entityStage: findEntityStage(steps),
    isSingle: endsWithStatement(app, { ...endpoint, kind, target }, query, plans, steps),
    restrictsFields: [...target.type.attributes, ...target.type.relations].some((field) => isRestricted(field, kind)),
  })
}

function needsRow(kind: OperationKind, { attributes, declaration }: ResourceType, steps: Steps): boolean {
  if (kind === 'Create') return false
  if (declaration.typeOf !== undefined || steps.beforeSave.length > 0) return true
  if (steps.check.some((step) => typeof step === 'function')) return true
  return (kind === 'Update' && attributes.some(keepsChildren)) || steps.validate.some((step) => step.of === 'row')
}

function isRestricted(field: Attribute | Relation, kind: OperationKind): boolean {
  const readOnly = kind === 'Create' ? field.readOnlyOnCreate : field.readOnlyOnUpdate
  if (field.hidden === true || readOnly !== false) return true
  return field.role === 'attribute' && listChildren(field).some((child) => isRestricted(child, kind))
}

/** Whether children of an object that are not sent keep their stored values. */
function keepsChildren({ kind, children }: Attribute): boolean {
  return kind === 'obj' || kind === 'oneOf' || (kind === 'map' && children.some(keepsChildren))
}

function findEntityStage({ beforeSave, afterSave }: Steps): WritePlan['entityStage'] {
  if (beforeSave.some((step) => typeof step === 'function')) return 'beforeSave'
  return afterSave.length > 0 ? 'afterSave' : null
}

/** Whether no step, check or read follows the statement that writes. */
function endsWithStatement(
  app: App,
  endpoint: OperationEndpoint,
  query: Query,
  plans: QueryPlan['types'],
  { afterOperation }: Steps,
): boolean {
  const { kind, server, target } = endpoint
  const { type } = target
  const { checkRows, beforeRender } = type.steps
  if (server.hasOwnHandler || afterOperation.length > 0) return false
  if (kind === 'Delete') return true
  if (checkRows.written.length + beforeRender.length > 0) return false
  // The linkage is read by one more statement, after the commit.
  if (kind === 'AddToRelationship') return isReadByOne(app, { ...endpoint, kind: 'FetchRelationship' }, query, plans)
  return (
    !isRelationshipWrite(kind) &&
    type.provider === app.store.provider &&
    responseNeedsOnlyWrittenRow(app, kind, query, plans.get(type))
  )
}

/** Whether the columns of the written row are all that the response shows. */
function responseNeedsOnlyWrittenRow(
  { documents }: App,
  kind: OperationKind,
  { include, counts, related }: Query,
  plan: TypePlan | undefined,
): boolean {
  if (!plan || typeof include === 'function' || include.length + counts.size + related.size > 0) return false
  const { shown, primary } = plan
  if (shown.relations.length > documents.createBudget().identifiers || primary.chains.length > 0) return false
  return primary.linked.every(
    ({ relation }) => kind === 'Create' && !relation.hasReadAbility && isEmptyAfterCreate(relation),
  )
}

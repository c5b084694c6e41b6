import type { Handler, Operation, OperationKind } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { applicationError } from '../errors/core-errors.ts'
import { createResource } from './create.ts'
import { deleteResource } from './delete.ts'
import { fetchCollection } from './fetch-collection.ts'
import { fetchOne } from './fetch-one.ts'
import { fetchRelated } from './fetch-related.ts'
import { fetchRelationship } from './fetch-relationship.ts'
import { updateResource } from './update.ts'
import { updateRelationship } from './update-relationship.ts'

const operations: Readonly<Record<OperationKind, Handler>> = {
  FetchCollection: fetchCollection,
  FetchOne: fetchOne,
  FetchRelated: fetchRelated,
  FetchRelationship: fetchRelationship,
  Create: createResource,
  Update: updateResource,
  Delete: deleteResource,
  UpdateRelationship: updateRelationship,
  AddToRelationship: updateRelationship,
  RemoveFromRelationship: updateRelationship,
  Action: runAction,
  FetchAction: runAction,
}

/** Runs an operation, unless the server has a handler of its own. */
export const defaultHandler: Handler = (operation) => operations[operation.kind](operation)

function runAction(operation: Operation): Promise<ApiResponse> {
  const { action } = operation.target
  if (!action) throw applicationError()
  return action.run(operation)
}

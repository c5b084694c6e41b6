import type { Operation, OperationKind } from '../operation.ts'
import type { ApiResponse } from '../response.ts'
import { createResource } from './create.ts'
import { deleteResource } from './delete.ts'
import { fetchCollection } from './fetch-collection.ts'
import { fetchOne } from './fetch-one.ts'
import { fetchRelated } from './fetch-related.ts'
import { fetchRelationship } from './fetch-relationship.ts'
import { updateResource } from './update.ts'
import { updateRelationship } from './update-relationship.ts'

/** The operations by their kind. */
export const operations: Readonly<Record<OperationKind, (operation: Operation) => Promise<ApiResponse>>> = {
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
}

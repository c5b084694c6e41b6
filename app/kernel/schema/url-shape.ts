export const operationNames = ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'] as const
export type OperationName = (typeof operationNames)[number]

/** The shapes of resource URLs. */
export type Shape = 'collection' | 'resource' | 'related' | 'relationship'

/** The methods of each shape of URLs, by the operation that the type needs for them. */
export const methodsByOperation: Readonly<Record<Shape, readonly (readonly [OperationName, readonly string[]])[]>> = {
  collection: [
    ['FetchCollection', ['GET', 'HEAD']],
    ['Create', ['POST']],
  ],
  resource: [
    ['FetchOne', ['GET', 'HEAD']],
    ['Update', ['PATCH']],
    ['Delete', ['DELETE']],
  ],
  related: [['FetchOne', ['GET', 'HEAD']]],
  // `toTarget` rejects POST and DELETE on a to-one relationship.
  relationship: [
    ['FetchOne', ['GET', 'HEAD']],
    ['Update', ['PATCH', 'POST', 'DELETE']],
  ],
}

/** The methods that URLs of each shape accept, with the operations of a type. */
export function methodsOfShapes(exposed: ReadonlySet<OperationName>): Readonly<Record<Shape, readonly string[]>> {
  const entries = Object.entries(methodsByOperation).map(([shape, operations]) => {
    const methods = operations.flatMap(([operation, names]) => (exposed.has(operation) ? names : []))
    return [shape, [...methods, 'OPTIONS']]
  })
  return Object.fromEntries(entries)
}

import { acceptedNames } from '../errors/accepted-names.ts'
import { relationshipNotExists } from '../errors/core-errors.ts'
import type { ApiError } from '../errors/errors.ts'
import type { Relation } from '../schema/field.ts'
import { hidingDeclaration } from '../schema/field-visibility.ts'
import { hasRelatedEndpoint, hasRelationshipEndpoint, type Server } from './server.ts'
import type { Target } from './target.ts'

/** Whether a related or relationship URL of the server can name the relation. */
export function hasEndpoint(server: Server, relation: Relation, kind: Target['kind']): boolean {
  return kind === 'related' ? hasRelatedEndpoint(server, relation) : hasRelationshipEndpoint(relation)
}

/** RELATIONSHIP_NOT_EXISTS. Lists the relations of the type, but none that is hidden from a requester or by row. */
export function relationshipMissing(
  { server, type, kind }: Pick<Target, 'server' | 'type' | 'kind'>,
  sent: string,
  member: 'segment' | 'name' = 'segment',
): ApiError {
  const shown = type.relations.filter(
    (relation) => !hidingDeclaration(relation) && !relation.hiddenFor && hasEndpoint(server, relation, kind),
  )
  const names = shown.map((relation) => relation[member])
  return relationshipNotExists({ type: type.name, relationship: sent, accepted: acceptedNames(names, sent) })
}

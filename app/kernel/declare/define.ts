import type { EntityClass } from '@mikro-orm/core'
import type { RowBuilders } from '../model/builders.ts'
import type { Resource, ResourceDeclaration, SerializedType, TypeDeclaration } from '../model/resource-type.ts'

/** Declares a resource: `export default defineResource(Album, { type: 'albums', … })`. */
export function defineResource<Entity extends object>(
  entity: EntityClass<Entity>,
  declaration: ResourceDeclaration<Entity>,
): Resource {
  return { entity: entity as EntityClass<object>, declaration: declaration as unknown as ResourceDeclaration<never> }
}

/** Declares a type without an entity: `export default defineType<Country>({ type: 'countries', provider, … })`. */
export function defineType<Row extends object>(declaration: TypeDeclaration<Row>): Resource {
  if (declaration.fields) return { entity: null, declaration: declaration as unknown as ResourceDeclaration<never> }
  const { serializer, id, relations, ...rest } = declaration as SerializedType<Row>
  const fields = (words: RowBuilders<Row>) => [
    id ? id(words) : words.id(),
    ...Object.entries(serializer.attributes).map(([name, read]) =>
      words
        .string(name)
        .computed()
        .readOnly()
        .serializeUsing(read as never),
    ),
    ...(relations?.(words) ?? []),
  ]
  return { entity: null, declaration: { ...rest, fields } as unknown as ResourceDeclaration<never> }
}

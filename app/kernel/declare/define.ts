import type { EntityClass } from '@mikro-orm/core'
import type { RowBuilders } from '../model/builders.ts'
import type {
  Resource,
  ResourceDeclaration,
  SerializedType,
  Serializer,
  TypeDeclaration,
} from '../model/resource-type.ts'

/** Declares a resource: `export default defineResource(Album, { type: 'albums', … })`. */
export function defineResource<Entity extends object>(
  entity: EntityClass<Entity>,
  declaration: ResourceDeclaration<Entity>,
): Resource {
  return { entity: entity as EntityClass<object>, declaration: declaration as unknown as ResourceDeclaration<never> }
}

/** Declares a type without an entity: `export default defineType<Country>({ type: 'countries', provider, … })`. */
export function defineType<Row extends object>(declaration: TypeDeclaration<Row>): Resource {
  const { serializer, id, relations, ...rest } = declaration as SerializedType<Row>
  // The registry reports a declaration with neither fields nor a serializer.
  if (declaration.fields || !isSerializer(serializer)) {
    return { entity: null, declaration: declaration as unknown as ResourceDeclaration<never> }
  }
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

function isSerializer(serializer: Partial<Serializer<never>> | undefined): boolean {
  const readers = Object.values(serializer?.attributes ?? {})
  return readers.length > 0 && readers.every((read) => typeof read === 'function')
}

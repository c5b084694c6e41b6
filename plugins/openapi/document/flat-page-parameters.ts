import type { DescribedOperation, Parameter, Schema } from '#openapi'

/** Replaces each `page` object by one parameter per member, such as `page[number]` and `page[size]`. */
export function flattenPageParameters(operations: readonly DescribedOperation[]): void {
  for (const { parameters } of operations) parameters.splice(0, parameters.length, ...parameters.flatMap(flatten))
}

function flatten(parameter: Parameter | Schema): (Parameter | Schema)[] {
  if (!('x-paginator' in parameter)) return [parameter]
  const { name, schema, style, explode, example, description, ...rest } = parameter as Parameter
  return Object.entries(mergeMembers(schema)).map(([member, { description: own, ...value }]) => ({
    ...rest,
    name: `${name}[${member}]`,
    description: own ?? description,
    schema: value,
  }))
}

/** The members of an object, or of all objects of a menu. The constants of its discriminator become an enumeration. */
function mergeMembers({ properties = {}, oneOf }: Schema): Record<string, Schema> {
  const objects = (oneOf as readonly Schema[] | undefined)?.map((one) => one.properties ?? {}) ?? [properties]
  const members: Record<string, Schema> = {}
  for (const [name, schema] of objects.flatMap((object) => Object.entries(object)) as [string, Schema][]) {
    const constants = [...((members[name]?.enum as unknown[]) ?? []), schema.const]
    if ('const' in schema) members[name] = { type: 'string', enum: constants }
    else members[name] ??= schema
  }
  return members
}

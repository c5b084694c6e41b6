import type { Attribute, Registry, ResourceType } from '#kernel/plugin'

/** Reports names of enumerations that are invalid, without values, or used for other values. Adds the valid ones. */
export function checkEnumNames(type: ResourceType, valuesByName: Map<string, string>, registry: Registry): void {
  const visit = ({ name: field, options, children, variants }: Attribute): void => {
    const { enumName: name, enumeration, in: values = [] } = options.rules ?? {}
    if (name !== undefined) {
      const fault = describeFault(name, JSON.stringify(values), enumeration !== undefined)
      if (fault) registry.fail(type, field, fault)
    }
    for (const child of [...children, ...[...variants.values()].flat()]) visit(child)
  }
  const describeFault = (name: string, values: string, isEnumeration: boolean): string | null => {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
      return `enumName('${name}') is not a name in PascalCase, such as AlbumStatus.`
    if (!isEnumeration) return `enumName('${name}') needs enum(), which lists the values.`
    const others = valuesByName.get(name) ?? values
    valuesByName.set(name, others)
    return others === values ? null : `enumName('${name}') is also the name of an enumeration with other values.`
  }
  for (const attribute of type.attributes) visit(attribute)
  for (const { pivotFields } of type.relations) for (const field of pivotFields) visit(field)
}

import type { RequiresPlugin } from '#app/kernel/compile/plugin-checks.ts'
import { plugins } from '#app/plugins.ts'
import type { DeclaredResource, Plugin } from '#kernel/plugin'

type Fields = DeclaredResource['resource']['declaration']['fields']
type Builder = Record<string | symbol, (...args: unknown[]) => unknown>

/** Kinds of attributes that have a format of their own. */
const textKinds = ['email', 'url', 'slug', 'ip']

/** Removes the keys and modifiers without which the application does not start while the plugins are disabled. */
export function withoutNeeds(declared: readonly DeclaredResource[], names: readonly string[]): DeclaredResource[] {
  const needed = plugins.filter(({ name, neededBy }) => neededBy && names.includes(name))
  const keys = needed.flatMap((plugin) => Object.keys(plugin.keys ?? {}))
  const modifiers = needed.flatMap(modifierNames)
  const needsOne = (value: unknown) =>
    [value].flat().some((item) => names.includes((item as Partial<RequiresPlugin> | null)?.requiredPlugin ?? ''))
  return declared.map(({ file, resource }) => {
    const kept = Object.entries(resource.declaration).filter(([key, value]) => !keys.includes(key) && !needsOne(value))
    const declaration = Object.fromEntries(kept) as typeof resource.declaration
    const fields: Fields = (builders) => declaration.fields(withoutModifiers(builders, modifiers))
    return {
      file,
      resource: { ...resource, declaration: modifiers.length > 0 ? { ...declaration, fields } : declaration },
    }
  })
}

export function modifierNames({ modifiers = {} }: Plugin): string[] {
  return [...Object.keys(modifiers.attribute ?? {}), ...Object.keys(modifiers.relation ?? {})]
}

/** Wraps builders so that these modifiers are not called, and attributes with a format become strings. */
function withoutModifiers<Builders extends object>(builders: Builders, removed: readonly string[]): Builders {
  return new Proxy(builders, {
    get: (target, kind) => {
      const name = textKinds.includes(String(kind)) ? 'string' : kind
      const create = Reflect.get(target, name) as (...args: unknown[]) => Builder
      return (...args: unknown[]) => (kind === 'id' ? create() : withoutCalls(create(...args), removed))
    },
  })
}

function withoutCalls(builder: Builder, removed: readonly string[]): Builder {
  const wrapped: Builder = new Proxy(builder, {
    get: (target, name) => {
      if (name === 'definition' || typeof name === 'symbol') return Reflect.get(target, name)
      return (...args: unknown[]) => {
        if (name === 'fields')
          target.fields?.((pivot: object) => (args[0] as Fields)(withoutModifiers(pivot, removed) as never))
        else if (!removed.includes(name)) target[name]?.(...args)
        return wrapped
      }
    },
  })
  return wrapped
}

import type { Plugin } from '#kernel'

declare module '#kernel' {
  interface FieldWords<Entity> {
    /** What the documentation says of it. */
    describedAs(text: string): this
    /** A value as clients may see or send it, for the documentation. */
    example(value: unknown): this
  }
  interface FieldOptions {
    description?: string
    example?: unknown
  }
  interface ResourceWords<Entity> {
    /** The headings under which the documentation lists the operations of the type. */
    readonly tags?: readonly string[]
  }
}

const words = {
  describedAs: (_: unknown, description: string) => ({ options: { description } }),
  example: (_: unknown, example: unknown) => ({ options: { example } }),
}

/** What the declarations say for the documentation. */
export function openapi(): Plugin {
  return {
    name: 'openapi',
    keys: ['tags'],
    modifiers: { attribute: words, relation: words },
    dormant: ['describedAs', 'example', 'tags'],

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const { tags = [] } = type.declaration
        if (tags.some((tag) => tag.trim() === '')) registry.fail(type, 'tags', 'A tag is a text that is not blank.')
        if (new Set(tags).size < tags.length) registry.fail(type, 'tags', 'A tag is listed twice.')
      }
    },
  }
}

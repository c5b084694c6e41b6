import { runInNewContext } from 'node:vm'
import { camelize, dasherize, singularize, underscore } from 'inflection'
import { StartupError } from '#store'

/** The forms of the name of a type. */
export interface TypeNames {
  /** `blog-posts` */
  readonly type: string
  /** `BlogPost` */
  readonly entity: string
  /** `blogPost` */
  readonly one: string
  /** `blogPosts` */
  readonly many: string
  /** `blog_posts` */
  readonly table: string
  /** `Blog post`, at the beginning of a sentence. */
  readonly title: string
}

const builtIn: readonly string[] = runInNewContext('Object.getOwnPropertyNames(globalThis)')
const members: readonly string[] = [...Object.getOwnPropertyNames(Object.prototype), 'id', 'type', 'lid', 'prototype']

export function deriveNames(type: string, entity: string = toPascal(singularize(underscored(type)))): TypeNames {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(type)) {
    const likely = dasherize(underscore(type.replace(/[^\w-]+/g, '-'))).toLowerCase()
    throw new StartupError(
      `'${type}' is not a name for a type: small letters and digits, words joined by hyphens, as in '${
        /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(likely) ? likely : 'blog-posts'
      }'.`,
    )
  }
  if (type === 'shared') {
    throw new StartupError(`A type cannot be called 'shared': resources/shared is for code that several types use.`)
  }
  if (!/^[A-Z][A-Za-z0-9]*$/.test(entity)) {
    throw new StartupError(`'${entity}' is not a name for an entity: a capital, then letters and digits.`)
  }
  if (builtIn.includes(entity)) {
    throw new StartupError(
      `An entity cannot be called ${entity}, which is a global of JavaScript; set another name with --entity.`,
    )
  }
  const one = entity.charAt(0).toLowerCase() + entity.slice(1)
  const many = camelize(underscored(type), true)
  return { type, entity, one, many, table: underscored(type), title: toTitle(underscore(entity)) }
}

export function checkFieldName(name: string): void {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
    throw new StartupError(
      `'${name}' is not a name for a field: a small letter, then letters and digits, as in 'publishedAt'.`,
    )
  }
  if (members.includes(name)) throw new StartupError(`A field cannot be called '${name}': the word is reserved.`)
}

interface InverseOptions {
  /** The property with the foreign key. */
  readonly property: string
  /** The name of the rows on the inverse side: `articles`, or `article` if there is one. */
  readonly rows: string
  /** No other relation has the same target. */
  readonly isOnly: boolean
  /** The target is the type itself. */
  readonly isSelf: boolean
  /** The inverse is one row. */
  readonly isOne: boolean
}

/** `articles`; `authorArticles` and `editorArticles` if two relations have the same target; `children` of `parent`. */
export function inverseName({ property, rows, isOnly, isSelf, isOne }: InverseOptions): string {
  if (isSelf && property === 'parent') return isOne ? 'child' : 'children'
  return isOnly && !isSelf ? rows : `${property}${toPascal(rows)}`
}

/** `publishedAt` → `PublishedAt` */
export function toPascal(name: string): string {
  return camelize(underscore(name))
}

/** `publishedAt` → `published at` */
export function toWords(name: string): string {
  return underscore(name).replaceAll('_', ' ')
}

function toTitle(words: string): string {
  const text = toWords(words)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function underscored(type: string): string {
  return type.replaceAll('-', '_')
}

import type { ApiFacts, pageMembers } from '#kernel'

// Reads the types of declarations: which server offers a type, its fields and its pages.

/** Whether a server offers a type. */
export type IsOn<Declaration, Server> = Declaration extends { readonly server: infer Declared }
  ? Declared extends readonly (infer One)[]
    ? Server extends One
      ? true
      : false
    : Declared extends null
      ? IsDefault<Server>
      : Server extends Declared
        ? true
        : false
  : IsDefault<Server>
type IsDefault<Server> = Server extends 'default' ? true : false

/** The list of fields that `fields` or, without an entity, `id` and `relations` return. */
export type FieldsOf<Declaration> = Declaration extends { readonly fields: (...args: never[]) => infer Fields }
  ? Fields
  :
      | (Declaration extends { readonly relations: (...args: never[]) => infer Relations } ? Relations : readonly [])
      | (Declaration extends { readonly id: (...args: never[]) => infer Id } ? readonly [Id] : readonly [])

/** The members of `page` that a type has by default. */
export type DefaultPage = ApiFacts extends { readonly page: infer Members } ? Members : never

/** The members of `page`; never without pagination. */
export type PagesOf<Declaration> = Declaration extends { readonly pagination: (...args: never[]) => infer Paginator }
  ? PageMembers<Paginator>
  : DefaultPage
export type PageMembers<Paginator> = Paginator extends { readonly [pageMembers]?: infer Members }
  ? unknown extends Members
    ? DefaultPage
    : NonNullable<Members>
  : never

/** One object type instead of an intersection. */
export type Simplify<Type> = { [Key in keyof Type]: Type[Key] }

export type NoMembers = Record<never, never>

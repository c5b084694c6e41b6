// The documents of the blog: one function per type.

export interface Person {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly created_at: string
}

export interface Tag {
  readonly id: number
  readonly name: string
}

export interface Comment {
  readonly id: number
  readonly body: string
  readonly created_at: string
  readonly article_id: number
  readonly author_id: number
}

export interface Article {
  readonly id: number
  readonly title: string
  readonly body: string
  readonly views: number
  readonly published_at: string
  readonly author_id: number
}

export function article(row: Article, base: string, comments?: readonly Comment[], tags?: readonly Tag[]) {
  const self = `${base}/articles/${row.id}`
  return {
    type: 'articles',
    id: String(row.id),
    links: { self },
    attributes: { title: row.title, body: row.body, views: row.views, publishedAt: row.published_at },
    relationships: {
      author: toOne(self, 'author', 'people', row.author_id),
      comments: toMany(self, 'comments', comments),
      tags: toMany(self, 'tags', tags),
    },
  }
}

export function sparseArticle(row: Pick<Article, 'id' | 'title' | 'published_at'>, base: string) {
  return {
    type: 'articles',
    id: String(row.id),
    links: { self: `${base}/articles/${row.id}` },
    attributes: { title: row.title, publishedAt: row.published_at },
  }
}

export function comment(row: Comment, base: string) {
  const self = `${base}/comments/${row.id}`
  return {
    type: 'comments',
    id: String(row.id),
    links: { self },
    attributes: { body: row.body, createdAt: row.created_at },
    relationships: {
      article: toOne(self, 'article', 'articles', row.article_id),
      author: toOne(self, 'author', 'people', row.author_id),
    },
  }
}

export function person(row: Person, base: string) {
  return {
    type: 'people',
    id: String(row.id),
    links: { self: `${base}/people/${row.id}` },
    attributes: { name: row.name, email: row.email, createdAt: row.created_at },
  }
}

export function tag(row: Tag, base: string) {
  return {
    type: 'tags',
    id: String(row.id),
    links: { self: `${base}/tags/${row.id}` },
    attributes: { name: row.name },
  }
}

function toOne(self: string, name: string, type: string, id: number) {
  return { links: relationshipLinks(self, name), data: { type, id: String(id) } }
}

function toMany(self: string, name: string, members: readonly { readonly id: number }[] | undefined) {
  return {
    links: relationshipLinks(self, name),
    ...(members && { data: members.map(({ id }) => ({ type: name, id: String(id) })) }),
  }
}

function relationshipLinks(self: string, name: string) {
  return { self: `${self}/relationships/${name}`, related: `${self}/${name}` }
}

import { expect } from 'chai'
import { discover } from '#discovery'
import { root } from '#test/support/app.ts'
import { readFields } from '../../../scripts/make/fields.ts'
import { deriveNames } from '../../../scripts/make/names.ts'
import { promptForResource } from '../../../scripts/make/prompt.ts'
import { entitySource, resourceSource } from '../../../scripts/make/sources.ts'
import { findTargets } from '../../../scripts/make/targets.ts'

const planDefaults = {
  targets: new Map(),
  hasUuid: false,
  hasPolicy: false,
  isPublic: false,
  hasSoftDeletes: false,
  hasExpressions: false,
}

describe('npm run make -- resource', () => {
  it('derives entity and table names from the type', () => {
    expect(deriveNames('people')).to.include({ entity: 'Person', one: 'person', table: 'people' })
    expect(deriveNames('blog-posts')).to.include({ entity: 'BlogPost', many: 'blogPosts', table: 'blog_posts' })
    expect(deriveNames('dates', 'CalendarDate')).to.include({ entity: 'CalendarDate', one: 'calendarDate' })
  })

  it('reads sizes, defaults of enums and words after the mark', () => {
    const [title, price, status] = fields(
      'title:string(80)!:unique:filter',
      'price:decimal(12,4)',
      'status:enum=a,*b',
    ).attributes
    expect(title?.kind).to.include({ property: 'string().length(80)', rules: '.maxLength(80)' })
    expect([...(title?.flags ?? [])]).to.deep.equal(['unique', 'filter'])
    expect(price?.kind.property).to.equal(`decimal('number').precision(12).scale(4)`)
    expect(status).to.deep.include({ values: ['a', 'b'] })
    expect(status?.kind.default).to.equal(`default('b')`)
  })

  it('makes times and attributes with :sort sortable, each with an index, and no other attribute', () => {
    const planned = fields('title:string!', 'city:string!:sort', 'code:string!:filter', 'year:integer!', 'heldOn:date?')
    const names = deriveNames('meetings')
    const plan = { ...planned, names, ...planDefaults }
    const sortable = [...resourceSource(plan).matchAll(/\('(\w+)'\)[^,]*\.sortable\(\)/g)].map(([, name]) => name)
    const indexed = [...entitySource(plan).matchAll(/properties: \['(\w+)', 'id'\]/g)].map(([, name]) => name)
    expect(sortable).to.deep.equal(['city', 'heldOn'])
    expect(indexed).to.deep.equal(['city', 'code', 'heldOn'])
  })

  it('makes attributes with :filter filterable in expressions if the plugin is listed', () => {
    const planned = fields('title:string!', 'code:string!:filter')
    const plan = { ...planned, names: deriveNames('meetings'), ...planDefaults }
    expect(resourceSource(plan)).not.to.include('filterable')
    const source = resourceSource({ ...plan, hasExpressions: true })
    expect([...source.matchAll(/\('(\w+)'\)[^,]*\.filterable\(\)/g)].map(([, name]) => name)).to.deep.equal(['code'])
  })

  const invalid: readonly (readonly [sentence: string, create: () => unknown])[] = [
    [
      `'BlogPosts' is not a name for a type: small letters and digits, words joined by hyphens, as in 'blog-posts'.`,
      () => deriveNames('BlogPosts'),
    ],
    [
      `A type cannot be called 'shared': resources/shared is for code that several types use.`,
      () => deriveNames('shared'),
    ],
    [
      'An entity cannot be called Date, which is a global of JavaScript; set another name with --entity.',
      () => deriveNames('dates'),
    ],
    [
      `'article' is not a name for an entity: a capital, then letters and digits.`,
      () => deriveNames('news', 'article'),
    ],
    [`A field cannot be called 'id': the word is reserved.`, () => fields('id:integer')],
    [`A field cannot be called 'constructor': the word is reserved.`, () => fields('constructor:text')],
    [`A relation cannot be called 'relationships': the word is reserved.`, () => fields('relationships:many=tags')],
    [
      `'published_at' is not a name for a field: a small letter, then letters and digits, as in 'publishedAt'.`,
      () => fields('published_at:date'),
    ],
    [`Two fields are called 'title'.`, () => fields('title:text', 'title:string')],
    [`'title:strin' has an unknown kind.`, () => fields('title:strin')],
    [`'title' is not a field.`, () => fields('title')],
    [`'site:url' needs a mark: 'site:url!' is required, 'site:url?' is nullable.`, () => fields('site:url')],
    [`'status:enum' needs its values, each once`, () => fields('status:enum=draft,draft')],
    [`'author:one' needs a related type, as in 'author:one=people'.`, () => fields('author:one')],
    [
      `'title:text!:filter': a text has no index. Use string(200), which has a length.`,
      () => fields('title:text!:filter'),
    ],
    [`'code:string:unique': a unique field has many values and no default.`, () => fields('code:string:unique')],
    [
      `'code:string!:uniqe' has an unknown word 'uniqe'. Words: unique, filter, sort.`,
      () => fields('code:string!:uniqe'),
    ],
    [`'plays:integer(5)' has an invalid size.`, () => fields('plays:integer(5)')],
    [`'status:enum' needs its values, each once`, () => fields('status:enum=*draft,*published')],
    [`'author:one=people!:filter' is a relation`, () => fields('author:one=people!:filter')],
    [`'tags' may be empty; leave the '!' out.`, () => fields('tags:many=tags!')],
  ]
  for (const [sentence, create] of invalid) {
    it(`throws: ${sentence}`, () => expect(create).to.throw(sentence))
  }

  it('throws with the command to create the type when a related type does not exist', async () => {
    const { relations } = readFields(['author:one=missing'], 'article')
    const error = await findTargets(relations, deriveNames('articles'), await discover(root)).catch((thrown) => thrown)
    expect(error.message).to.include(
      `'author' refers to the type 'missing', which does not exist. Create it first (npm run make -- `,
    )
  })

  it('prompts on a terminal, repeats a question after invalid input and ends with an empty line', async () => {
    const responses = ['Articles', 'articles', '', 'title:strin', 'title:string!', 'tags:many=tags', '', 'y']
    const printed: string[] = []
    const options = await promptForResource({
      prompt: async () => responses.shift() as string,
      print: (text) => printed.push(text.split('\n')[0] as string),
    })
    expect(options).to.deep.equal({ type: 'articles', fields: ['title:string!', 'tags:many=tags'], inverse: true })
    expect(responses).to.deep.equal([])
    expect(printed.map((text) => text.replace(/[:.].*/, ''))).to.deep.equal([
      `'Articles' is not a name for a type`,
      'Fields of articles, one per line, then an empty line',
      'A resource needs at least one field',
      `'title`,
    ])
  })
})

function fields(...notations: readonly string[]) {
  return readFields(notations, 'article')
}

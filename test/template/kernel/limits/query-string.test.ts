import { expect } from 'chai'
import { parseQueryString } from '#kernel/operations'
import { isMap, type ParamValue } from '#kernel/queries'

describe('parseQueryString', () => {
  const texts = [
    '',
    '?',
    '?a=1',
    '??a=1',
    'a',
    'a=',
    '=a',
    '=',
    '&&a=1&',
    'a=1=2',
    'a=1&a=2',
    'page[size]=5&sort=-title,name',
    'page%5Bsize%5D=5',
    'filter[a]=b+c',
    'filter[a]=b%2Bc',
    'a=%',
    'a=%zz&b=%c3',
    'a=%c3%a9&b=é',
    'a=1;b=2',
    'a=1#b',
    'a=\u0000&b=\t',
    'a="<>',
    'a=%f0%9f%98%80&b=\ud800&c=%ef%bb%bf',
    'a%5bb=1&a%5Bb%5D=%c3+2',
  ]

  for (const text of texts) {
    it(`decodes like URLSearchParams: ${JSON.stringify(text)}`, () => {
      expect(flatten(parseQueryString(text))).to.deep.equal(new Map(new URLSearchParams(text)))
    })
  }

  it('returns maps without inherited members', () => {
    const page = parseQueryString('page[size]=1&page[__proto__]=2&page[constructor]=3').get('page')
    expect(page).to.have.all.keys('size', '__proto__', 'constructor')
    expect('toString' in (page as object)).to.equal(false)
    expect('constructor' in (parseQueryString('page[size]=1').get('page') as object)).to.equal(false)
  })
})

/** The values by full names. */
function flatten(families: ReadonlyMap<string, ParamValue>): Map<string, ParamValue> {
  const entries = [...families].flatMap(([family, value]): [string, ParamValue][] =>
    isMap(value) ? Object.entries(value).map(([key, inner]) => [`${family}[${key}]`, inner]) : [[family, value]],
  )
  return new Map(entries)
}

import { expect } from 'chai'
import { parseQueryString } from '#kernel'

describe('A query string', () => {
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
  ]

  for (const text of texts) {
    it(`is read as a form is: ${JSON.stringify(text)}`, () => {
      expect(parseQueryString(text).entries).to.deep.equal([...new URLSearchParams(text)])
    })
  }
})

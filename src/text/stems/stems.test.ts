import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemmer } from '@orama/stemmers/english';
import { fold } from '../fold.ts';
import { stem } from './stems.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const SUFFIXES =
  `ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti
  biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize sion tion
  sses ies eed ed ing y e ll`.split(/\s+/);

test('the shortcut for English words without a known ending returns the same stem as the stemmer', () => {
  const endings = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)));
  for (const ending of [...endings, ...SUFFIXES]) {
    for (const begin of ['', 'b', 'ya', 'troubl', 'relat']) {
      assert.equal(stem(begin + ending, 'latin', 'en'), stemmer(begin + ending), begin + ending);
    }
  }
});

/** Checks that the words of a group have one stem, and the words of a pair two stems. */
function assertStems(language: string, groups: readonly string[], pairs: readonly string[]): void {
  const stemsOf = (words: string): Set<string> =>
    new Set(words.split(' ').map((word) => fold(stem(word, 'latin', language))));
  for (const group of groups) assert.equal(stemsOf(group).size, 1, `${group}: ${[...stemsOf(group)]}`);
  for (const pair of pairs) assert.equal(stemsOf(pair).size, 2, pair);
}

test('forms of a Romanian word with changing vowels or consonants have one stem', () => {
  const groups = [
    'soldat soldați soldaților',
    'român românesc românești românească',
    'primește primit primi',
    'moarte morții mort',
    'școală școli',
    'seară seri',
    'pleacă plecat',
    'rege regelui',
    'coloană coloanei',
    'suceava sucevei',
    'zid ziduri zidurilor',
    'lucrare lucrări lucrărilor',
    'clădire clădiri',
    'stradă străzilor',
    'naște născut naștere',
    'cuvânt cuvinte',
    'conduce condus',
    'ajung ajuns',
    'înțelege înțeles',
    'deschide deschis',
    'om oamenilor',
    'copil copii',
    'tânăr tinerii',
    'număr numerelor',
    'metru metri',
    'poveste povești',
    'venit veniturile',
    'lung lungime',
    'surse sursă',
    'produse produs',
    'trimiși trimis',
    'nașterii nașteri',
    'pescuit pescuirea',
    'crede crezi',
    'coadă cozi',
    'francez francezi',
    'obez obezi',
    'caz cazuri',
    'serie seria seriei',
    'maria mariei',
    'radio radioul',
    'calcul calculul calcule',
    'scrie scriu scris',
    'continuă continuu',
  ];
  assertStems('ro', groups, [
    'mas măsuri',
    'port poveste',
    'nume numit',
    'bărbat băiat',
    'stea stat',
    'pește pestă',
    'caz cad',
    'bază bad',
    'gaz gad',
    'rază radu',
    'radio radu',
    'viză video',
    'vid video',
    'mario mare',
    'azi ad',
    'maria mare',
    'siria șir',
    'coreea cor',
    'india indu',
    'real relație',
    'conținut continuă',
    'stat statut',
    'stat statuie',
    'calciu calcul',
    'credit cred',
    'idee id',
    'doar dori',
    'numai nume',
  ]);
});

test('forms of a Spanish verb with a changing stem have one stem, and so have a noun and its plural', () => {
  const groups = [
    'mujer mujeres',
    'joven jóvenes',
    'ciudad ciudades',
    'alemán alemanes',
    'almacén almacenes',
    'imagen imágenes',
    'luz luces',
    'juez jueces',
    'índice índices',
    'vuelve volver vuelto',
    'pierde perder perdió',
    'pide pidió pedir',
    'convirtió convierte convertir',
    'eligió elegir',
    'murieron murió muere morir muerto',
    'produjo producir',
    'obtuvo obtener obtiene',
    'compuso componer compuesto',
    'escrito escribir',
    'descubierto descubrir',
    'juega jugar',
    'gobierno gobernar',
    'fundación fundador fundó',
    'nacimiento nació',
    'ganador ganó',
    'año años',
    'isla islas',
    'arma armas',
    'entrar entró entraron',
    'primer primero',
    'enlace enlaces',
    'sirve servir',
    'sintió sentir siente',
    'repitió repetir',
    'prefirió preferir prefiere',
    'durmió dormir duerme',
    'resuelto resolver',
    'extrajo extraer',
    'juegos jugó',
    'predijo predecir',
    'orden órdenes ordenar ordenador',
    'hiperenlace hiperenlaces',
    'interface interfaces',
    'abrir abrirá abriría',
    'estar estará',
    'enviar envía',
    'ampliar amplía',
    'emplear emplee',
    'extremo extremos',
    'anónimo anónimos',
    'pared paredes',
    'extiende extender',
    'asteroide asteroides',
    'capaz capaces',
  ];
  assertStems('es', groups, [
    'muro murió',
    'nación nació',
    'poco pozo',
    'solo suelo',
    'venta viento',
    'estación este',
    'estado este',
    'griego regó',
    'senador seno',
    'tenedor tener',
    'salvador salvo',
    'traidor traer',
    'servidor servir',
    'par pared',
    'par parís',
    'tienda tender',
    'impuesto imponer',
    'rueda rodas',
    'opus oponer',
    'tiroides tirar',
    'suena son',
    'armería arma',
  ]);
});

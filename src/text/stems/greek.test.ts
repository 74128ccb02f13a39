import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stemGreek } from './greek.ts';

describe('forms of a Greek word have one stem', () => {
  for (const [what, forms] of [
    ['-ος', 'άνθρωπος ανθρώπου άνθρωπο άνθρωποι ανθρώπων ανθρώπους'],
    ['-η, -εις', 'κυβέρνηση κυβέρνησης κυβερνήσεις κυβερνήσεων κυβερνήσεως'],
    ['-μα', 'κύμα κύματος κύματα κυμάτων'],
    ['-ι', 'παιδί παιδιού παιδιά παιδιών'],
    ['-ι, short', 'νησί νησιού νησιά νησιών'],
    ['-ο', 'βιβλίο βιβλίου βιβλία βιβλίων'],
    ['-έας', 'συγγραφέας συγγραφέα συγγραφείς συγγραφέων'],
    ['-άδες', 'βασιλιάς βασιλιά βασιλιάδες βασιλιάδων'],
    ['-ος, neuter', 'μέγεθος μεγέθους μεγέθη μεγεθών'],
    ['adjectives', 'πολιτικός πολιτική πολιτικό πολιτικού πολιτικής πολιτικοί πολιτικές πολιτικά πολιτικών πολιτικούς'],
    ['adjectives', 'διεθνής διεθνούς διεθνή διεθνές διεθνείς διεθνών'],
    ['comparatives', 'μεγάλος μεγάλη μεγαλύτερος μεγαλύτερο'],
    ['of a country', 'Ιταλία Ιταλός Ιταλοί ιταλικός'],
    ['names of old', 'Ναπολέων Ναπολέοντα Ναπολέοντας Ναπολέοντος'],
    ['names of old', 'Νεύτων Νεύτωνα Νεύτωνας'],
    ['irregular', 'φως φωτός φώτα'],
    ['without accents', 'κυβέρνηση κυβερνηση ΚΥΒΕΡΝΗΣΗ κυβέρνησή'],
    [
      'voices and tenses',
      'χρησιμοποιεί χρησιμοποίησε χρησιμοποιήθηκε χρησιμοποιείται χρησιμοποιούνταν χρησιμοποιώντας χρησιμοποιηθούν',
    ],
    ['voices and tenses', 'κερδίζει κέρδισε κερδίσουν κερδίζοντας κερδισμένος κέρδος'],
    ['nouns of verbs', 'ανακαλύπτει ανακάλυψε ανακαλύφθηκε ανακάλυψη ανακαλύψεις'],
    ['nouns of verbs', 'κατασκευάζει κατασκεύασε κατασκευάστηκε κατασκευή κατασκευές'],
    ['-ώνω', 'οργανώνει οργάνωσε οργανώθηκε οργάνωση'],
    ['-αίνω', 'πεθαίνει πέθανε πεθάνουν'],
    ['the augment', 'γράφει έγραψε έγραφαν γράφτηκε γραμμένο'],
    ['the augment', 'φτάνει έφτανε φτάνουν έφταναν'],
    ['the augment behind a preposition', 'μετατρέπει μετέτρεψε μετατράπηκε'],
    ['not the augment', 'ανεβάζει ανέβασε ανεβάζουν'],
    ['not the augment', 'ελπίζει έλπισε έλπισαν'],
    ['-εύω', 'προστατεύει προστάτευσε προστατεύτηκε προστατεύθηκε προστατευτικός'],
    ['-σσω', 'φυλάσσει φύλαξε φυλάσσουν φυλάχθηκε'],
    ['-ων, -ον', 'προϊόν προϊόντος προϊόντα προϊόντων'],
    ['-ων, -ον', 'μέλλον μέλλοντος μελλοντικός μελλοντική'],
    ['no -ικός', 'κατοικεί κάτοικος κατοίκων κατοικήθηκε κατοικία'],
    ['the augment behind a preposition', 'διακρίνει διέκρινε διέκριναν'],
    ['the augment behind a preposition', 'ανέφερε αναφέρει'],
    ['the augment behind a preposition', 'αντέγραψε αντιγράφει'],
    ['the augment behind a preposition', 'απέδωσε αποδίδει'],
    ['the augment behind a preposition', 'εισέβαλε εισβάλλει'],
    ['the augment behind a preposition', 'ενέταξε εντάσσει'],
    ['the augment behind a preposition', 'εξέφρασε εκφράζει'],
    ['the augment behind a preposition', 'επέτρεψε επιτρέπει'],
    ['the augment behind a preposition', 'κατέγραψε καταγράφει'],
    ['the augment behind a preposition', 'παρέδωσε παραδίδει'],
    ['the augment behind a preposition', 'περιέγραψε περιγράφει'],
    ['the augment behind a preposition', 'προέβλεψε προβλέπει'],
    ['the augment behind a preposition', 'προσέφερε προσφέρει'],
    ['the augment behind a preposition', 'συνέδεσε συνδέει'],
    ['the augment behind a preposition', 'υπέγραψε υπογράφει'],
    ['no augment', 'έχει έχετε έχουμε'],
    ['second person', 'μπορεί μπορείτε'],
    ['participles', 'τρέχουσα τρέχουσες τρέχουσας τρεχουσών'],
    ['-ία, -ίο, short', 'πλοίο πλοία πλοίων πλοίου'],
    ['-ία, -ίο, short', 'γωνία γωνίες γωνιών'],
    ['irregular verbs', 'δίνει έδωσε δόθηκε'],
    ['irregular verbs', 'περιλαμβάνει περιέλαβε περιλήφθηκε'],
  ] as const) {
    test(`${what}: ${forms}`, () => {
      assert.equal(new Set(forms.split(' ').map((form) => stemGreek(form.toLowerCase()))).size, 1);
    });
  }
  test('in every encoding of its accents', () => {
    assert.equal(stemGreek('μετέτρεψε'.normalize('NFD')), stemGreek('μετέτρεψε'));
  });
});

describe('Greek words with different meanings have different stems', () => {
  for (const words of [
    'χώρα χωριό',
    'περίπτωση περίπου',
    'σημείο σημείωση',
    'τελεία τελειώνει',
    'κλήση καλό',
    'πληθυσμός πλήθος',
    'αποτέλεσμα αποτελεί',
    'τροφή τρόπος',
    'μάχη μάγος',
    'έργο ρήγας',
    'ομάδα όμοιος',
  ]) {
    test(words, () => assert.equal(new Set(words.split(' ').map(stemGreek)).size, 2));
  }
});

test('the Greek stem of any string is not empty', () => {
  for (const word of ['α', 'ου', 'και', 'η', 'σσσ', 'ουσουσουσ'.repeat(7), 'abc'])
    assert.ok(stemGreek(word).length > 0, word);
});

/**
 * Turkish words that the stemmer must know: verbs, because what a noun ends in and what a verb ends in look alike; nouns whose own end
 * looks like an ending (`insan`, `altın`, `ordu`); nouns that lose a vowel before endings (`şehir`, `şehri`). Others are taken apart by rule.
 */

export const VERBS: ReadonlySet<string> = words(`
  aç açıkla ada adlandır affet ağar ağırla ağla ak aksa aktar al alçal aldat algıla alış amaçla an anımsa anla anlaş anlat ara araştır
  arın art artır as aş aşıla at ata atla ayakla ayarla aydınlan aydınlat ayıkla ayır ayrıl az azal bağdaş bağır bağışla bağla bahset bak
  barın bas başar başla bat batır bayıl beğen bekle belgele belir belirle belirt benimse benze besle beste bestele betimle bık bırak biç
  biçimlen bil bileş bin birik birleş bit bitir boğ boşal boya boz böl bul bulaş buluş buyur büyü canlan cevapla cezalandır çağır çakış
  çal çalış çarp çarpıt çatış çatla çek çekin çevir çevrele çevril çık çıkar çırp çiğne çiz çoğal çök çökel çöz çözümle çürü dağıl dağıt
  dal dalgalan damgala danış dans davran daya dayan de değ değerlendir değin değiş del demirle dene denet denetle dengele der derinleş derle
  destekle devir devral devril dışla dik dile dilimle din dinle dinlen diren diz dizginle doğ doğra doğrul doğrula doğur doku dokun dol
  dola dolaş don donat dök dön dönüş döşe döv dur duy duyur düş düşün düşür düzelt düzenle edin eğ eğil eğit eğlen ek ekle ele eleştir em
  emret emzir endişelen engelle er eri eriş ertele es esinlen esnet eşle eşleş et etkile etkinleş evcilleş evlen evril ez ezberle
  farklılaş fethet fırla fışkır gecik geç geçir gel geliş genelle genişle gerçekleş gerek geril gerile getir gevşe gez gir giriş git giy
  gizle göç göçür gölgele göm gönder gör görevlendir görüntüle görüş göster götür gözet gözle gözlemle gözük güçlen güçleş gül güncelle
  haberleş hafifle hapset harca hastalan hatırla havalan haykır hazırla hedefle hesapla hızlan hisset hizala hoşlan hükmet ısın ısır ısıt
  ısla iç içer ilerle ilet ilgilen ilişkilendir imzala in inan incele incelt inle isimlendir iste işaretle işit işle it iyileş izin izle
  kabar kaç kaçın kaçır kal kalk kalkın kanıtla kapa kapla kapsa kar karış karşıla karşılaş kat katıl katla kavra kavuş kay kaybet kaybol
  kaydet kaygılan kayna kaynakla kaynaş kaz kazan kes kesinleş kıl kır kırp kıs kısal kısıtla kışkırt kıvrıl kıy kıyasla kız kirlen kirlet
  kok koklat kolaylaş konuş kop kopar kopyala kork koru koş kov kovala koy kötüleş kullan kur kurgula kurtar kurtul kuru kuşat kutla kutsa
  kuvvetlen küçül küçümse kümelen lanetle mahvet mırılda modernleş netleş nitele nitelendir niyetlen numarala odaklan oku ol olgunlaş oluş
  ona onar onayla otla otur oy oyala oyna öde ödüllendir öğren öğret öğütle öl ölç ölümsüzleş ön öner öngör önle öp ör örgütle örnekle ört
  ötele öv özdeşleş özelleş özen özetle özgürleş özle parçala parla patla paylaş pazarla pekiş piş pişir planla püskürt rahatla rastla
  reddet resmet sabitle sağla sahiplen sakla sal saldır salgıla salla san sanayileş sap sapta sar sars sat savaş savrul savun savur say
  seç selamla ser sergile sertleş seslen sev sevin seyret sez sıçra sığ sığın sık sına sınıflandır sınırla sınırlandır sırala sız sızla
  sil silahlan simgele sindir soğu sok sol solu sonlan sonuçlan sor sorgula soruştur soy sök sömür sön söyle sözleş suçla sula sun sus
  susa sür sürdür sürgün sürt sürükle süsle süz şaş şaşır şekillen şişir tak tamamla tanı tanımla tanış tanıt tap tara taran tart tartış
  tasarla taş taşı taşın tat tazele tekrarla temizle tep terle tetikle tıkan tıkla tırman titre titreş tohumla topla tut tutukla tutun
  tutuş tüken tüket türe tüt uç uçur uğra uğraş ula ulaş umut unut usan utan uy uyan uyar uyarla uygula uyu uza uzaklaş uzan uzlaş
  uzmanlaş üfle üleş üre üret ürk üstlen üşü üz var varsay vazgeç ver vur vurgula yağ yağla yağmala yak yakala yaklaş yala yan yanıtla
  yankılan yansı yap yapış yar yara yarala yararlan yarat yardımlaş yargıla yarış yasakla yasla yaşa yaşlan yat yatır yavaşla yay
  yaygınlaş yayımla yayınla yaz ye yen yenile yerleş yeşer yet yetin yetiş yığ yık yıka yıpran yırt yitir yoğunlaş yol yolla yont yor
  yorumla yönel yönet yönlendir yum yut yücel yükle yüksel yürü yüz zayıfla zehirle zenginleş zıpla zorla zorlaş`);

/** Each with the form that it has before a vowel, when a vowel falls out of it or its last letter is doubled. */
const CHANGED = `
  ağız ağzı akıl aklı alın alnı asıl aslı avuç avcu bağır bağrı beniz benzi beyin beyni boyun boynu böğür böğrü burun burnu cisim cismi
  cürüm cürmü devir devri emir emri fikir fikri fetih fethi göğüs göğsü gönül gönlü hacim hacmi hapis hapsi haciz haczi hüküm hükmü
  isim ismi izin izni kabir kabri karın karnı kasıt kastı kavim kavmi kayıp kaybı kayıt kaydı kesir kesri keşif keşfi keyif keyfi kısım kısmı
  koyun koynu kutup kutbu lütuf lütfu metin metni nakit nakdi nakil nakli nehir nehri nesil nesli nesir nesri oğul oğlu omuz omzu ömür ömrü
  özür özrü rahim rahmi resim resmi ritim ritmi sabır sabrı seyir seyri sihir sihri şahıs şahsı şehir şehri şekil şekli
  şükür şükrü tavır tavrı ufuk ufku vakit vakti vasıf vasfı vahiy vahyi zehir zehri zihin zihni zikir zikri zulüm zulmü asır asrı azim azmi
  hak hakkı his hissi hat hattı hal hali sır sırrı hac haccı had haddi ret reddi zan zannı tıp tıbbı hız hızı mühür mührü af affı şık şıkkı zıt zıddı
  üs üssü küf küfü su suyu ne neyi`
  .trim()
  .split(/\s+/);

/** The form before a vowel, without it -> the word. */
export const CHANGED_NOUNS: ReadonlyMap<string, string> = new Map(
  CHANGED.flatMap((word, i) => (i % 2 === 0 ? [[CHANGED[i + 1]!.slice(0, -1), word] as const] : [])),
);

export const NOUNS: ReadonlySet<string> = new Set([
  ...CHANGED.filter((_, i) => i % 2 === 0),
  ...words(`
  açık ad ada adım adres afrika ağ ağaç aile akar akım akın alan alay alet algı algoritma alman almanya alt altı altın altmış amerika ana
  anı ankara anlam anne antalya antijen antrenör ara aralık arı arıcı arka arsa arslan asal asker aslan astronot asya aşı aşırı at ateş
  atina atlas av avrupa avukat ay ayak ayar ayı ayin az baba bağ bağımlı bağımsız bağış bahar bakan bakı bakır balkan balo banka bar baraj
  barış basamak basın basil baskı baskın baş başkan batı bayan beden bele belediye belge belirgin ben benzin beste bey beyan bez bıçak
  bileşen bilgi bilgin bilim bin bina bira birey birim birinci bitki biyoloji borsa boru boşluk boy boya boyut bölge bölüm bu bura bursa
  bünye büro bütün büyü cadde can cep ceza cezaevi cilt coğrafya coşku cümle çağ çalgı çam çay çekya çelik çeşme çevre çiçek çiftçi
  çiftlik çimen çin çivi çizgi çoban çocuk çok çorba çözüm dağ dahi dalga damga dava davul dede değer değil değişken dekan delil demir
  deney denge deniz deprem derece dergi deri derin ders destan deste destek deve devlet dikey dil dilim din dini dip dirsek divan dize
  dizgi dizi doğa doğru doğu doksan dokuz dolar don donanım donanma dost dönem dönüm döşeme dua durgun durum duvar duygu duyu düdük düğme
  düğün dünya dürtü düşman düşünce düzen düzey düzgün ebe ebru eczane efsane eğer ek ekim ekin ekmek ekran eksen el elektron eleman elli
  elma elmas emek emin endüstri enerji enflasyon engel ergin erkek erken esas eser eski eş eşit eşya et etken etki etkin ev evlilik evre
  evren eyalet eylem fabrika fare fark fatura fayda felsefe ferman fırça fidan film filo fincan fiyat fon form forma formül forvet fosil
  foton fransa gaga gala gar gaye gaz gazete gece gelecek gelin gelir gemi gen genç general geniş gerçek gergin gezegen gezi gıda giysi
  göç göçebe göçmen gök göl gölge görüntü gövde göz gözlem grup gücü güç gül gümüş gün güncel güneş güney güven haber hafif hafta haham
  hakem halay hale halı halife hamam hamle han hane hanedan harf harita hasta hastane hata hava hayır hayvan hazır hazine hece hedef hesap
  heyecan heykel hidrojen hikaye hisse hoca hormon horoz hristiyan hürriyet ırk ışık iç içki iflas iki ikinci iklim ilaç ilan ilçe ileri
  iletken ilgi ilişki ilke imge imkan imparator imza in inanç ince insan insülin iplik irade iskele ispanya istasyon isyan iş işaret işçi
  işlem işlev italya ivme iyon jandarma japonya jeoloji jimnastik kabile kabin kabine kaç kadar kadın kadro kafa kafe kaldırım kale kalem
  kalın kalıntı kalkan kalori kampüs kan kanal kanıt kanser kanun kanyon kap kapı kapital kaplan kapsül kaptan kara karanlık karar karbon
  kare karı kart kase kaset kasım kat kavram kaya kaygı kayık kaynak kaza kazan kazı kedi kelime kemik kenar kendi kent kenya kere kervan
  kesim keskin keten kez kıl kılıç kına kırım kırk kırmızı kısa kısıt kıssa kışla kıta kıyı kız kilise kilometre kimya kira kitap kitle
  klasik klavye klima koç kod koku kol kolay kolej koloni komutan kongre konser konsey kontrol konu konum konya kopya korku koro koru
  kovan koyun köken köle köpek köprü körfez köşe köy köylü kral kraliçe krema kriz kul kule kulüp kumar kural kuram kurban kurgu kurs
  kurum kutsal kutu kuvvet kuyu kuzey kuzu külçe kültür küme küre kütle kütüphane lale lamba latin lav lazer leke levha libya lider liman
  lira lise liste litre lokanta lokomotif lokum madalya madde maden mahalle mahkeme makale makam makine malzeme mana mantar manzara masa
  maske matbaa maya meclis medrese mekan mektup merkez mermer mermi mesafe mesele metre mevsim meydan meyve mezar mezhep mide milyar
  milyon mimar miras misyon model modern molekül motor motorlu müdür mühür müslüman müze müzisyen name nane nazar neden nefes nem nemli
  nesne nine nisan nitrojen nokta not nota nöron nötron nüfus o obje ocak oda odun oğlan oksijen okul okyanus olay olgu olgun on onay onur
  optik ora oran ordu organ organizma orman orta ortam osmanlı otel otobüs oturum otuz ova oy oyun oyuncu ozon ödül öğrenci öğretmen ölçü
  ölü ön önce önder önem öneri önlem örgü örgüt örnek örtü öykü öz özet özgün özgür palmiye pamuk papa papalık papaz para parametre parça
  parti pasta paşa patron pay pazar pazartesi perde petrol peygamber pınar pil pilav pilot piskopos piston piyano plaka plaket plan plazma
  polis politika posta prens prenses problem profesör program proje proses protein protestan proton puan pul radyo rahip rakı ramazan
  rapor reçine reform rejim renk rıhtım roket rol roma roman rota rulo rusya rüya rüzgar saat saç saf sağ sağlık sahil sahne salgı salgın
  salon sanayi sandık sanık saniye saray sarı satır savaş savcı sayfa saygı sayı sebze seçim seçkin seçmen sefer sekiz seksen sektör
  selçuklu sene sepet sergi seri serum ses sevgi seviye sezon sığır sınav sınır sıra sıtma sıva sigara silindir simge simit sinema sistem
  sivil siyaset soba sofra sokak son sonuç sorgu soru sorumlu sorun sosyal soy soylu sömürge söz stadyum strateji stres su suç suçlu
  sultan sure suriye süre süreç sürü süs süt sütun şair şaman şampiyon şarkı şema şey şirket şişe şölen şu şube şura tabaka taban tabela
  tablo tabur tahıl tahmin takım takvim tane tanık tanım tanrı tapınak taraf tarım tarih tarihçi tarikat tarla taş taşıt tat tatil tavan
  tavsiye tavuk tay tecrübe tedavi tehlike teknoloji tekrar tema temas temel temiz tenis teori tepe tepki tepsi terapi teras tercüman
  terim ters tilki tişört tiyatro tohum ton top topluluk toplum toprak torun tören trafik tren tugay tuğla tuval tuz tüberkülin tüfek
  tümen tünel tüp tür türbin türkiye türkü uç uçak uçurum ulus un unsur uranyum uydu uygun uyku uyum uzay uzman uzun ücret üçgen üçüncü
  ülke ün ünite üniversite ürün üst üye üzer vadi vaftiz vagon vaka vakıf vali vapur vatan vatandaş verem vergi veri vezir vida villa
  virüs vitamin viyadük volkan vurgu yağma yağmur yaka yakın yakıt yan yangın yanıt yapı yaprak yara yarar yargı yargıç yarı yarım yasa
  yasak yaş yaşam yatak yatay yatırım yay yaygın yayın yayla yaz yazar yazı yazılım yedi yelken yemek yemin yeni yer yerel yetişkin yetki
  yetmiş yığın yıl yıldırım yıldız yirmi yol yorgun yorum yosun yön yönetmen yöntem yöre yunan yurt yük yüksek yürürlük yüz yüzdelik yüzey
  yüzyıl zaman zar zarar zayıf zeka zemin zengin zeytin zincir zirve zona zurna`),
  // Of verbs, but things of their own.
  ...words(
    `denetim dizin geçerli geçersiz geçici geçmiş istemci kuran mali sunu sunucu sunum sürücü sürüm uyarı verici yazıcı katman`,
  ),
  // Provinces, countries and first names that endings can be taken off to a word.
  ...words(`adana batman bolu denizli karaman kanada katar sudan yemen emine emre fatma hatice salman`),
]);

function words(list: string): Set<string> {
  return new Set(list.trim().split(/\s+/));
}

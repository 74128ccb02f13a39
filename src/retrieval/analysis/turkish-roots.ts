/**
 * Turkish words that the stemmer must know: verbs, because what a noun ends in and what a verb ends in look alike; nouns whose own end
 * looks like an ending (`insan`, `altın`, `ordu`); nouns that lose a vowel before endings (`şehir`, `şehri`). Others are taken apart by rule.
 */

export const VERBS: ReadonlySet<string> = words(`
  aç açıkla ada affet ağla ak aksa al aldat algıla alış an anımsa anla anlaş anlat ara araştır art artır as aş aşıla at ata atla ayakla
  ayarla ayır ayrıl az azal bağır bağışla bağla bak barın bas başar başla bat batır bayıl bekle belgele belir belirle belirt benimse benze
  besle beste bestele betimle bık bırak biç bil bin birik birleş bit bitir boğ boşal boya boz böl bul bulaş buluş buyur büyü canlan
  cezalandır çağır çal çalış çarp çatış çek çekin çevir çevrele çevril çık çıkar çırp çiğne çiz çoğal çök çökel çöz çürü dağıl dağıt dal
  dalgalan damgala dans davran daya dayan de değ değerlendir değin değiş del dene denetle der derle destekle devir devril dik dile dilimle
  din dinle dinlen diren diz doğ doğra doğrula doğur doku dokun dol dola dolaş don donat dök dön dönüş döşe döv dur duy duyur düş düşün
  düşür düzelt düzenle edin eğ eğit eğlen ek ekle ele eleştir em emret endişelen engelle er eri eriş es esinlen et etkile evlen evril ez
  ezberle farklılaş fethet fırla fışkır geç geçir gel geliş genişle gerçekleş gerek geril getir gez gider gir giriş git giy gizle göç
  gölgele göm gönder gör görevlendir görüntüle görüş göster götür gözet gözle gözlemle gözük güçlen gül güncelle haberleş hafifle hapset
  harca hastalan hatırla havalan hazırla hedefle hesapla hızlan hisset hükmet ısın ısır ısıt ısla iç ilerle ilet ilgilen ilişkilendir
  imzala in inan incele incelt inle isimlendir iste işaretle işit işle it iyileş izin izle kaç kaçın kaçır kal kalk kanıtla kapa kapla
  kapsa kar karış karşıla karşılaş kat katıl katla kavra kavuş kay kaybet kaybol kaydet kayna kaynakla kaynaş kaz kazan kes kesinleş kıl
  kır kırp kıs kısal kısıtla kışkırt kıvrıl kıy kıyasla kız kirlen kirlet kok koklat konuş kop kopar kork koru koş kov kovala koy kötüleş
  kulla kullan kur kurgula kurtar kurtul kuru kuşat kutla kuvvetlen küçül küçümse mahvet mırılda modernleş nitele nitelendir niyetlen
  odaklan oku ol olgunlaş oluş ona onar onayla otla otur oy oyala oyna öde ödüllendir öğren öğret öğütle öl ölç ölümsüzleş ön öner önle öp
  ör örgütle örnekle ört ötele öv özdeşleş özelleş özetle özle parçala parla patla paylaş pekiş piş pişir planla püskürt rastla reddet
  sağla sahiplen sakla sal saldır salgıla salla san sanayileş sap sapta sar sars sat savaş savrul savun say seç selamla ser sergile
  sertleş sev sevin sez sık sına sınıflandır sınırla sınırlandır sırala sız sızla sil simgele sindir sok sol solu sonlan sonuçlan sor
  sorgula soruştur soy sök sömür sön söyle sözleş suçla sula sun sus sür sürdür sürgün sürükle süsle şaş şaşır şekillen şişir tak tamamla
  tanı tanımla tanış tanıt tap tara taran tart tartış tasarla taş taşı taşın tat tekrarla temizle tep terle tetikle tırman titre titreş
  topla tut tutukla tutun tutuş tüken tüket türe tüt uç uçur uğra uğraş ula ulaş umut unut utan uy uyan uyar uyarla uygula uyu uza uzaklaş
  uzan uzlaş uzmanlaş üfle üleş üre üret ürk üstlen üz var varsay vazgeç ver vur vurgula yağ yağmala yak yakala yaklaş yala yan yanıtla
  yankılan yansı yap yapış yar yara yarala yararlan yarat yardımlaş yargıla yarış yasakla yasla yaşa yaşlan yat yatır yavaşla yay
  yaygınlaş yayımla yayınla yaz ye yen yenile yerleş yet yetin yetiş yığ yık yıka yıpran yırt yitir yoğunlaş yol yolla yor yorumla yönel
  yönet yönlendir yum yut yükle yüksel yürü yüz zayıfla zehirle zenginleş zıpla zorla zorlaş`);

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
  ad ada adım afrika ağaç aile akar akım akın alan alay alet algı alman almanya alt altı altın altmış amerika ana anı ankara anne antalya
  ara aralık arı arıcı arka arsa arslan asker aslan asya aşırı at ateş atina atlas av avrupa ay ayı az baba bağ bahar bakan bakı bakır
  balkan balo banka bar barış basamak basın baskı baş başkan batı bayan beden bele belediye ben bey beyan bez bıçak bilgi bilim bin bina
  bira birey birim birinci bitki biyoloji borsa boru boşluk boy boya bölge bölüm bu bura bursa bünye büro bütün büyü cadde can cep ceza
  cezaevi cilt cin coğrafya coşku cümle çağ çalgı çam çay çekya çelik çeşme çevre çiçek çiftçi çimen çin çivi çizgi çoban çocuk çok çorba
  çözüm dağ dahi dalga dava davul dede değer dekan delil demir deney denge deniz deprem derece dergi deri derin ders destan deste deve
  devlet dikey dil din dini dip dirsek divan dize dizgi dizi doğa doğru doğu doksan dokuz dolar don dost dönem dönüm döşeme dua durum
  duvar duygu duyu düdük düğme düğün dünya dürtü düşman düşünce düzen düzey ebe ebru efsane ek ekim ekin eklem ekmek eksen el eleman elli
  elma emek endüstri enerji erkek erken esas eser eski eş eşya et ev evre evren eyalet eylem fabrika fare fatura fayda felsefe ferman
  fırça fidan film filo fiyat fon form forma formül fransa gaga gala gaye gaz gazete gece gelecek gelin gemi gen genç general gerçek
  gezegen gezi gıda giysi gök göl gölge gövde göz gözlem grup gücü güç gül gümüş gün güneş güney güven haber hafta haham hale halı halife
  hamam hamle han hane hanedan harf harita hasta hastane hata hava hayır hayvan hazine hece hedef heykel hikaye hisse hoca horoz hürriyet
  ırk ışık iç içki iki ikinci iklim ilaç ilçe ileri ilgi ilişki ilke imge imparator in inanç ince insan iplik irade ispanya iş işlem işlev
  italya iyon jandarma japonya jeoloji jimnastik kabile kabin kabine kaç kadar kadın kafa kafe kaldırım kale kalem kalın kalıntı kalori
  kan kanal kanser kanun kanyon kap kapı kapital kaplan kaptan kara karanlık karar karbon kare karı kart kase kaset kasım kat kaya kaygı
  kayık kaynak kaza kazan kazı kedi kelime kemik kenar kendi kent kenya kere kesim keten kez kıl kılıç kına kırım kırk kırmızı kısa kıssa
  kışla kıta kıyı kız kilise kilometre kimya kira kitap kitle klasik klima kod koku kol koloni kongre konser konsey kontrol konu konya
  korku koro koru kovan koyun köle köpek köprü körfez köşe köy kral kraliçe krema kriz kule kulüp kumar kural kuram kurban kurs kurum kutu
  kuvvet kuyu kuzey kuzu külçe kültür küme küre kütle kütüphane lale lamba lav lazer leke levha libya lider liman lira lise liste litre
  lokanta lokum madalya madde maden mahalle mahkeme makale makam makine malzeme mana mantar manzara masa maske matbaa maya meclis medrese
  mektup merkez mermer mermi mesafe mesele metre mevsim meydan meyve mezar mide milyar milyon mimar miras model modern molekül motor
  motorlu müdür mühür müslüman müze müzisyen name nane nazar neden nefes nem nemli nesne nine nitrojen nokta not nota nöron nüfus o obje
  ocak oda odun oğlan oksijen okul olay olgu on onur optik ora oran ordu organ orman orta ortam osmanlı otel otobüs oturum otuz ova oy
  oyun oyuncu ödül öğrenci öğretmen ölçü ölü ön önce önder öneri önlem örgü örtü öykü öz özgür palmiye pamuk papa para parça parti pasta
  paşa patron pay pazar pazartesi perde peygamber pınar pil pilav pilot piyano plaka plaket plan polis politika posta prens prenses
  problem profesör program proje protein puan pul radyo rakı rapor reçine reform rejim renk roket rol roma roman rota rulo rusya rüya
  rüzgar saat saç saf sahil sahne salgı salgın salon sanayi sandık saniye saray sarı satır savaş sayfa saygı sayı sebze seçim sefer sekiz
  seksen sektör selçuklu sene sepet sergi serum ses sevgi seviye sezon sığır sınav sınır sıra sıtma sıva sigara silindir simge simit
  sinema sistem sivil siyaset soba sofra sokak son sonuç soru sorumlu sorun sosyal soy söz strateji su suç sultan sure suriye süre süreç
  sürü süs süt şair şaman şampiyon şarkı şema şey şirket şişe şölen şu şube şura tabaka tabela tablo tahıl takım takvim tane tanrı tapınak
  taraf tarım tarih tarihçi tarla taş taşıt tat tatil tavan tavsiye tavuk tecrübe tedavi tehlike teknoloji tema temel teori tepe tepki
  tepsi terapi teras terim ters tilki tişört tiyatro tohum ton toplum toprak torun tören trafik tren tuğla tuval tuz tüberkülin tüfek
  tümen tünel tüp tür türkiye türkü uç uçak uçurum ulus un unsur uranyum uydu uyku uzay uzman uzun ücret üçüncü ülke ün ünite üniversite
  ürün üst üye üzer vadi vagon vaka vakıf vali vapur vatan verem vergi veri vezir vida villa virüs vitamin yağmur yakın yakıt yan yangın
  yanıt yapı yaprak yara yarar yargı yarı yarım yasa yaş yaşam yatak yatırım yay yayın yayla yaz yazar yazı yedi yelken yemek yemin yeni
  yer yerel yetki yetmiş yıl yıldırım yıldız yirmi yol yorum yosun yön yöntem yöre yunan yurt yüksek yürürlük yüz yüzey yüzyıl zaman zar
  zarar zeka zemin zeytin zincir zirve zona zurna`),
]);

function words(list: string): Set<string> {
  return new Set(list.trim().split(/\s+/));
}

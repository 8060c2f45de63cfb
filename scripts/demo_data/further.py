"""Short sentences of five further languages, fewer of each, put together from phrases that were written for this.

As in `sentences`, any phrase of a slot fits any phrase of the others.
"""

from types import MappingProxyType

_GERMAN = MappingProxyType(
    {
        "subject": """der Lehrer, die Ärztin, mein Bruder, meine Schwester, der alte Fischer, die Nachbarin, der Koch,
            unsere Großmutter, ein junger Gärtner, die Königin, der Bäcker, das Mädchen, ein fremder Händler,
            der Schüler, die Tänzerin""",
        "does": """liest ein altes Buch, trinkt heißen Tee, verkauft frische Äpfel, sucht den Schlüssel, schreibt
            einen langen Brief, hört leise Musik, wäscht die Wäsche, öffnet das Fenster, zeichnet einen schönen Vogel,
            kauft zwei Brötchen, erzählt eine Geschichte, füttert den Hund, spielt Geige, schneidet das Brot,
            zählt sein Geld""",
        "place": """in der Küche, auf dem Markt, hinter dem Haus, am Fluss, im Garten, vor der Kirche, unter der Brücke,
            in der Schule""",
    }
)
_ITALIAN = MappingProxyType(
    {
        "subject": """il maestro, la bambina, mio fratello, mia nonna, il vecchio pescatore, una vicina gentile,
            il cuoco, la regina, un giovane medico, il giardiniere, la ballerina, lo zio Giovanni, il fornaio,
            la signora Bianchi, un ragazzo biondo""",
        "does": """legge un libro antico, beve acqua fresca, vende uova e formaggio, cerca le chiavi, scrive una
            lettera, ascolta la radio, lava i piatti, apre la finestra, disegna un cavallo, compra pane caldo,
            racconta una storia, gioca a scacchi, suona il violino, taglia la legna, sogna il mare""",
        "place": """in cucina, al mercato, dietro la chiesa, vicino al fiume, in giardino, sulla spiaggia,
            sotto il ponte, a scuola""",
        "time": "oggi, ogni mattina, la domenica, adesso, qualche volta, d'inverno",
    }
)
_TURKISH = MappingProxyType(
    {
        "subject": """öğretmen, küçük kız, kardeşim, büyükannem, yaşlı balıkçı, komşumuz, aşçı, genç doktor, bahçıvan,
            dedem, fırıncı, öğrenci, yabancı bir tüccar, amcam, arkadaşım""",
        "place": """mutfakta, pazarda, evin arkasında, nehir kıyısında, bahçede, caminin önünde, köprünün altında,
            okulda""",
        "did": """eski bir kitap okudu, sıcak çay içti, taze elma sattı, anahtarını aradı, uzun bir mektup yazdı,
            müzik dinledi, çamaşır yıkadı, pencereyi açtı, güzel bir kuş çizdi, iki ekmek aldı, bir masal anlattı,
            köpeği besledi, keman çaldı, odun kesti, parasını saydı""",
        "time": "dün, bu sabah, pazar günü, geçen hafta, dün gece, biraz önce",
    }
)
_INDONESIAN = MappingProxyType(
    {
        "subject": """guru itu, anak kecil itu, adik saya, nenek kami, nelayan tua itu, tetangga saya, juru masak,
            dokter muda itu, tukang kebun, kakek saya, tukang roti, murid itu, seorang pedagang asing, paman saya,
            teman saya""",
        "does": """membaca buku tua, minum teh panas, menjual buah segar, mencari kunci, menulis surat panjang,
            mendengarkan musik, mencuci pakaian, membuka jendela, menggambar burung, membeli dua roti, bercerita,
            memberi makan anjing, bermain biola, memotong kayu, menghitung uang""",
        "place": """di dapur, di pasar, di belakang rumah, di tepi sungai, di kebun, di depan masjid, di bawah jembatan,
            di sekolah""",
        "time": "hari ini, setiap pagi, hari Minggu, sekarang, tadi malam, kemarin",
    }
)
_FINNISH = MappingProxyType(
    {
        "subject": """opettaja, pieni tyttö, veljeni, isoäitini, vanha kalastaja, naapurimme, kokki, nuori lääkäri,
            puutarhuri, isoisäni, leipuri, oppilas, vieras kauppias, setäni, ystäväni""",
        "does": """lukee vanhaa kirjaa, juo kuumaa teetä, myy tuoreita omenoita, etsii avainta, kirjoittaa pitkää
            kirjettä, kuuntelee musiikkia, pesee pyykkiä, avaa ikkunan, piirtää kaunista lintua, ostaa kaksi leipää,
            kertoo tarinaa, ruokkii koiraa, soittaa viulua, hakkaa puita, laskee rahojaan""",
        "place": """keittiössä, torilla, talon takana, joen rannalla, puutarhassa, kirkon edessä, sillan alla,
            koulussa""",
        "time": "tänään, joka aamu, sunnuntaina, nyt, joskus, talvella",
    }
)
FURTHER = MappingProxyType(
    {
        "german": (_GERMAN, ("{subject} {does} {place}", "{subject} {does}")),
        "italian": (_ITALIAN, ("{time} {subject} {does}", "{subject} {does} {place}")),
        "turkish": (_TURKISH, ("{time} {subject} {place} {did}", "{subject} {time} {did}")),
        "indonesian": (_INDONESIAN, ("{time} {subject} {does}", "{subject} {does} {place}")),
        "finnish": (_FINNISH, ("{subject} {does} {place}", "{time} {subject} {does} {place}")),
    }
)
